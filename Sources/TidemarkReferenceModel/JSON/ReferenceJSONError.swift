/// The reason why bytes are not a JSON value that Tidemark reads.
package enum ReferenceJSONError: Error, Equatable {
    /// The grammar of RFC 8259 is broken, or something follows the value.
    case notJSON
    /// More containers are open at once than allowed.
    case tooDeep
}
