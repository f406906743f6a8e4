import TidemarkModel

extension ViewSet {
    /// Returns the key of a shown row that is written as JSON: an array of keys of entities, or of a group's values.
    ///
    /// - Parameter json: The array, in any spelling.
    /// - Returns: nil if the window shows no such row.
    /// - Throws: ``ViewRuleError`` if the text is not one JSON value.
    package func rowKey(_ json: [UInt8], of number: ViewWindowID) throws(ViewRuleError) -> ViewRowKey? {
        let wanted = try RuleReader.node(json, name: "the row's key").canonical
        for key in result(number)?.keys ?? [] {
            if try RuleReader.node(key.text, name: "the row's key").canonical == wanted { return key }
        }
        return nil
    }
}
