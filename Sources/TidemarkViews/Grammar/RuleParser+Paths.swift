import TidemarkModel
import TidemarkStore

extension RuleParser {
    /// Parses a path to a value of a source.
    func sourcePath(_ node: RuleNode, at place: String, _ meaning: PathMeaning) throws(ViewRuleError) -> ViewPath {
        guard case .source(let path) = try reference(node, at: place, meaning) else {
            throw ViewRuleError(place, "is no path to a source; write an alias and a JSON Pointer")
        }
        return path
    }

    /// Parses a path.
    func reference(_ node: RuleNode, at place: String, _ meaning: PathMeaning) throws(ViewRuleError) -> ViewReference {
        let text = try node.text(at: place)
        guard let first = text.first, first != UInt8(ascii: "/") else {
            let pointer = try pointer(text, at: place)
            switch meaning.slash {
            case .own(let slot): return .source(ViewPath(slot: slot, pointer: pointer))
            case .output(let names): return try output(pointer, at: place, names)
            case .aggregates(let includes): return try aggregate(pointer, at: place, includes)
            case .nothing:
                throw ViewRuleError(
                    place, "does not begin with an alias; write one before the pointer, such as \"issue/title\"")
            }
        }
        let (alias, rest) = split(text)
        return .source(
            ViewPath(slot: try meaning.scope.slot(alias, at: place), pointer: try pointer(rest, at: place)))
    }

    func pointer(_ text: [UInt8], at place: String) throws(ViewRuleError) -> RulePointer {
        do {
            return try RulePointer(text)
        } catch {
            throw ViewRuleError(place, error.what)
        }
    }

    /// Splits a path after its alias.
    func split(_ text: [UInt8]) -> (alias: String, rest: [UInt8]) {
        let end = text.firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
        return (String(decoding: text[..<end], as: UTF8.self), Array(text[end...]))
    }

    // MARK: Output rows

    private func output(
        _ pointer: RulePointer, at place: String, _ names: RowNames
    ) throws(ViewRuleError) -> ViewReference {
        guard let first = pointer.tokens.first else {
            throw ViewRuleError(place, "names the whole row; name one of its members")
        }
        if names.includes.contains(where: { $0.name == first.name }) {
            return try aggregate(pointer, at: place, names.includes)
        }
        let rest = RulePointer(tokens: Array(pointer.tokens.dropFirst()))
        var known: [[UInt8]] = names.includes.map(\.name)
        switch names.output {
        case .resource(let slot): return .source(ViewPath(slot: slot, pointer: pointer))
        case .resources(let sources):
            if let source = sources.first(where: { $0.name == first.name }) {
                return .source(ViewPath(slot: source.slot, pointer: rest))
            }
            known += sources.map(\.name)
        case .members(let members):
            if let member = members.first(where: { $0.name == first.name }) {
                let tokens = member.path.pointer.tokens + rest.tokens
                return .source(ViewPath(slot: member.path.slot, pointer: RulePointer(tokens: tokens)))
            }
            known += members.map(\.name)
        case .groups(let groups):
            let members = (groups.keys ?? []).map(\.name) + groups.aggregates.map(\.name)
            if let index = members.firstIndex(of: first.name) { return .member(index, rest) }
            known += members
        }
        throw unknown(first.name, at: place, "is no member of the output row", known)
    }

    private func aggregate(
        _ pointer: RulePointer, at place: String, _ includes: [ViewInclude]
    ) throws(ViewRuleError) -> ViewReference {
        guard let first = pointer.tokens.first, let index = includes.firstIndex(where: { $0.name == first.name }) else {
            throw unknown(
                pointer.tokens.first?.name ?? [], at: place, "is no include with aggregates", includes.map(\.name))
        }
        guard case .groups(let groups) = includes[index].body.output, groups.keys == nil else {
            throw ViewRuleError(
                place, "leads into an include that has no aggregates, or groups; only aggregates decide")
        }
        let names = groups.aggregates.map(\.name)
        guard pointer.tokens.count > 1, names.contains(pointer.tokens[1].name) else {
            throw unknown(
                pointer.tokens.dropFirst().first?.name ?? [], at: place, "is no aggregate of the include", names)
        }
        return .include(index, RulePointer(tokens: Array(pointer.tokens.dropFirst())))
    }

    private func unknown(_ name: [UInt8], at place: String, _ what: String, _ known: [[UInt8]]) -> ViewRuleError {
        let names = known.map { String(decoding: $0, as: UTF8.self) }
        let name = String(decoding: name, as: UTF8.self)
        return ViewRuleError(place, "\(what): \"\(name)\"", nearest: NearestName.of(ByteString(name), among: names))
    }
}
