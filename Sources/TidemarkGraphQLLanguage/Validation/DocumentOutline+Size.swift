import TidemarkModel

extension DocumentOutline {
    /// The numbers of fields and levels of a selection set with its fragments spread.
    private struct Size {
        /// The number of fields; at most one more than the limit.
        var fieldCount = 0
        var levelCount = 0
    }

    private enum Progress {
        case waiting
        case underWay
        case done(Size)
    }

    /// Counts fields and levels as if every fragment were written wherever it is spread. A fragment inside itself is
    /// not counted; another rule reports the cycle.
    ///
    /// - Throws: ``DocumentError`` `limitExceeded`.
    /// - Complexity: O(document): each definition is counted once. Recursion is bounded by the limit of levels.
    func measure(_ limits: ExecutableLimits) throws(DocumentError) {
        var sizes = [Progress](repeating: .waiting, count: definitions.count)
        var total = 0
        for index in rootDefinitions() {
            total += try size(of: index, &sizes, level: 0, limits).fieldCount
            guard total <= limits.selectionCountMax else { throw DocumentOutline.tooManySelections(limits) }
        }
        // Fragments in a cycle that no other definition spreads.
        for index in definitions.indices {
            guard case .waiting = sizes[index] else { continue }
            total += try size(of: index, &sizes, level: 0, limits).fieldCount
            guard total <= limits.selectionCountMax else { throw DocumentOutline.tooManySelections(limits) }
        }
    }

    private func size(
        of index: Int, _ sizes: inout [Progress], level: Int, _ limits: ExecutableLimits
    ) throws(DocumentError) -> Size {
        switch sizes[index] {
        case .done(let size):
            guard level + size.levelCount <= limits.nestingDepthMax else { throw DocumentOutline.tooDeep(limits) }
            return size
        case .underWay: return Size()
        case .waiting:
            sizes[index] = .underWay
            let size = try size(of: definitions[index].selections, &sizes, level: level + 1, limits)
            sizes[index] = .done(size)
            return size
        }
    }

    /// - Parameter level: The level of this set; 1 for that of an operation.
    private func size(
        of selections: [Selection], _ sizes: inout [Progress], level: Int, _ limits: ExecutableLimits
    ) throws(DocumentError) -> Size {
        guard level <= limits.nestingDepthMax else { throw DocumentOutline.tooDeep(limits) }
        var total = Size()
        for selection in selections {
            var inner = Size()
            switch selection {
            case .field(let field):
                if !field.selections.isEmpty {
                    inner = try size(of: field.selections, &sizes, level: level + 1, limits)
                }
                inner.fieldCount += 1
            case .inline(let fragment): inner = try size(of: fragment.selections, &sizes, level: level + 1, limits)
            case .spread(let spread):
                if let index = fragmentIndices[spread.name.text] {
                    inner = try size(of: index, &sizes, level: level, limits)
                }
            }
            total.levelCount = max(total.levelCount, inner.levelCount)
            total.fieldCount = min(total.fieldCount + inner.fieldCount, limits.selectionCountMax + 1)
        }
        total.levelCount += 1
        return total
    }

    private static func tooManySelections(_ limits: ExecutableLimits) -> DocumentError {
        DocumentError(
            .limitExceeded,
            "The document selects more than \(limits.selectionCountMax) fields, each fragment counted wherever it is "
                + "spread. Select fewer, or split the document.")
    }

    private static func tooDeep(_ limits: ExecutableLimits) -> DocumentError {
        DocumentError(
            .limitExceeded,
            "The document has more than \(limits.nestingDepthMax) nested selection sets. Nest less.")
    }
}
