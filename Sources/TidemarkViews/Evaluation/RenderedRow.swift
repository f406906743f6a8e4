import TidemarkJSON

/// A row of a result as it is shown.
struct RenderedRow: Hashable, Sendable {
    /// The row without its includes: one JSON object.
    var own: [UInt8]
    /// The includes, each with its member name.
    var includes: [RenderedInclude] = []

    /// Appends the row as JSON.
    func write(to text: inout [UInt8]) {
        guard !includes.isEmpty else {
            text += own
            return
        }
        text += own.dropLast()
        for (index, include) in includes.enumerated() {
            if index > 0 || own.count > 2 { text.append(UInt8(ascii: ",")) }
            CanonicalString.append(include.name, to: &text)
            text.append(UInt8(ascii: ":"))
            include.content.write(to: &text)
        }
        text.append(UInt8(ascii: "}"))
    }

    var text: [UInt8] {
        if includes.isEmpty { return own }
        var text: [UInt8] = []
        write(to: &text)
        return text
    }
}

/// An include of a row.
struct RenderedInclude: Hashable, Sendable {
    indirect enum Content: Hashable, Sendable {
        /// The object of aggregates.
        case object([UInt8])
        /// The first row with its key, or null.
        case one(RenderedElement?)
        /// The rows of a list.
        case list([RenderedElement])

        func write(to text: inout [UInt8]) {
            switch self {
            case .object(let object): text += object
            case .one(let element): if let element { element.row.write(to: &text) } else { text += "null".utf8 }
            case .list(let elements):
                text.append(UInt8(ascii: "["))
                for (index, element) in elements.enumerated() {
                    if index > 0 { text.append(UInt8(ascii: ",")) }
                    element.row.write(to: &text)
                }
                text.append(UInt8(ascii: "]"))
            }
        }
    }

    var name: [UInt8]
    var content: Content
}

/// A row of an include, with the key that tells it from the others.
struct RenderedElement: Hashable, Sendable {
    var key: [UInt8]
    var row: RenderedRow
}
