import TidemarkReferenceModel

extension ReferenceJSON {
    /// Returns a line as JSON if the wire would accept it.
    static func accepted(_ line: [UInt8]) -> ReferenceJSON? {
        guard ReferenceUTF8.isValid(line) else { return nil }
        do throws(ReferenceJSONError) {
            return try ReferenceJSONParser.parse(line)
        } catch {
            return nil
        }
    }
}
