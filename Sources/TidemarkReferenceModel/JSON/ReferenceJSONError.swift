/// Why bytes are not a JSON value that Tidemark reads.
package enum ReferenceJSONError: Error, Equatable {
    /// The grammar of RFC 8259 is violated, or something follows the value.
    case notJSON
    /// More containers are open at once than allowed.
    case tooDeep
}
