import TidemarkModel

extension DocumentValidator {
    /// Checks that the labels of deferred fragments are constants and all different, because a response names a
    /// fragment by its path and label. If the documents of a program are checked together (`fragments`), they share no
    /// response. Then only the labels within each operation and its fragments must differ.
    ///
    /// - Source: the proposal for incremental delivery, section 5.7.6; Protocol/graphql.md, findings.
    mutating func checkLabels() {
        switch purpose {
        case .operations: checkLabels(of: Array(outline.definitions.indices))
        case .fragments:
            for root in outline.rootDefinitions() { checkLabels(of: outline.reachable(from: root)) }
        }
    }

    private mutating func checkLabels(of definitions: [Int]) {
        var labels: Set<ByteString> = []
        for index in definitions { checkLabels(outline.definitions[index].selections, &labels) }
    }

    private mutating func checkLabels(_ selections: [Selection], _ labels: inout Set<ByteString>) {
        for selection in selections {
            for directive in selection.directives where directive.name.text == "defer" {
                for argument in directive.arguments where argument.name.text == "label" {
                    check(label: argument.value, &labels)
                }
            }
            checkLabels(selection.selections, &labels)
        }
    }

    private mutating func check(label: Value, _ labels: inout Set<ByteString>) {
        switch label.kind {
        case .variable:
            findings.append(
                .variableLabel, "A label of @defer is a variable; write the label itself.", at: label.place)
        case .string(let text):
            guard !labels.insert(text.text).inserted else { return }
            findings.append(
                .duplicateLabel,
                "Two fragments have the label \(DocumentValidator.excerpt(text.text)); give each a label of its own.",
                at: label.place)
        // With a schema these values are reported by their type; null means no label.
        case .int, .float, .boolean, .null, .enumeration, .list, .object: break
        }
    }
}
