import TidemarkModel

extension DocumentValidator {
    /// Labels of deferred fragments are texts of the document, and no two are equal: an answer names a fragment by its
    /// path and label. Documents of a program that are checked together (`fragments`) share no answer, so there the
    /// labels of each operation and of the fragments that it leads to differ.
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
        // With a schema these are values of another type; null is no label.
        case .int, .float, .boolean, .null, .enumeration, .list, .object: break
        }
    }
}
