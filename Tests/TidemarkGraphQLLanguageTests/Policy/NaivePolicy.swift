import TidemarkTesting

/// Random schemas with rules, and the meaning of the rules derived in a naive way: by recursion over strings, without
/// any code of the reader.
struct NaivePolicy {
    struct Rule: Equatable {
        var seconds: Int?
        var inherits = false
        var cascades = false

        var isEmpty: Bool { seconds == nil && !inherits && !cascades }

        var arguments: String {
            var parts: [String] = []
            if let seconds { parts.append("maxAge: \(seconds)") }
            if inherits { parts.append("inheritMaxAge: true") }
            if cascades { parts.append("cascadeDeletion: true") }
            return parts.isEmpty ? "cascadeDeletion: false" : parts.joined(separator: ", ")
        }
    }

    struct Field {
        var name: String
        var type: String
        var rule: Rule?
        var isSetFromOutside: Bool
    }

    struct Definition {
        var name: String
        var keyword: String
        var interfaces: [String]
        var rule: Rule?
        var fields: [Field]
    }

    enum Conflict: Error { case interfaces }

    var types: [Definition] = []

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed, index: 7)
        let interfaces = (0..<generator.below(5)).map { "I\($0)" }
        let objects = (0..<(1 + generator.below(4))).map { "T\($0)" }
        let composites = interfaces + objects + ["U"]
        for (index, name) in (interfaces + objects).enumerated() {
            let candidates = interfaces.prefix(index)
            types.append(
                Definition(
                    name: name, keyword: index < interfaces.count ? "interface" : "type",
                    interfaces: candidates.filter { _ in generator.chance(650) },
                    rule: NaivePolicy.rule(&generator, mayCascade: false), fields: []))
            for field in ["a", "b", "c", "d", "e"] where generator.chance(500) {
                // A name has the same type everywhere: fields of interfaces must fit those of their implementers.
                let type = field < "c" ? "Int" : composites[Int(field.utf8.first ?? 0) * 7 % composites.count]
                types[index].fields.append(
                    Field(
                        name: field, type: type,
                        rule: NaivePolicy.rule(&generator, mayCascade: objects.contains(type)),
                        isSetFromOutside: generator.chance(300)))
            }
        }
        types.append(
            Definition(
                name: "U", keyword: "union", interfaces: [], rule: NaivePolicy.rule(&generator, mayCascade: false),
                fields: []))
    }

    private static func rule(_ generator: inout SeededGenerator, mayCascade: Bool) -> Rule? {
        guard generator.chance(450) else { return nil }
        var rule = Rule()
        switch generator.below(4) {
        case 0: rule.inherits = true
        case 1: break
        default: rule.seconds = generator.below(3)
        }
        if mayCascade, generator.chance(400) { rule.cascades = true }
        return rule
    }

    /// Returns the schema as a document, in random order, with parts of it as extensions.
    func text(seed: UInt64) -> String {
        var generator = SeededGenerator(seed: seed, index: 8)
        var pieces: [String] = []
        for type in types {
            let implements = type.interfaces.isEmpty ? "" : " implements " + type.interfaces.joined(separator: " & ")
            let outside = type.fields.compactMap { field -> String? in
                guard let rule = field.rule, field.isSetFromOutside else { return nil }
                return "@cacheControlField(name: \"\(field.name)\", \(rule.arguments))"
            }
            let own = type.rule.map { " @cacheControl(\($0.arguments))" } ?? ""
            let isOwnOutside = generator.chance(300)
            var body = type.fields.map { field in
                let rule = field.isSetFromOutside ? nil : field.rule
                let shape = generator.pick(["", "!", "]"])
                let type = shape == "]" ? "[\(field.type)!]" : field.type + shape
                return "\(field.name): \(type)" + (rule.map { " @cacheControl(\($0.arguments))" } ?? "")
            }
            if type.keyword == "union" {
                pieces.append("union U\(own) = T0")
                continue
            }
            let tail = generator.chance(300) && body.count > 1 ? [body.removeLast()] : []
            let braces = { (fields: [String]) in fields.isEmpty ? "" : " { " + fields.joined(separator: "\n") + " }" }
            pieces.append("\(type.keyword) \(type.name)\(implements)\(isOwnOutside ? "" : own)\(braces(body))")
            let rest = outside.joined(separator: " ") + (isOwnOutside ? own : "") + braces(tail)
            if !rest.isEmpty { pieces.append("extend \(type.keyword) \(type.name) \(rest)") }
        }
        for index in pieces.indices { pieces.swapAt(index, generator.below(pieces.count)) }
        return pieces.joined(separator: "\n")
    }

    func definition(_ name: String) -> Definition? { types.first { $0.name == name } }

    func isScalar(_ type: String) -> Bool { definition(type) == nil }

    // MARK: The meaning of rules

    private func speakers(_ type: Definition) -> [String] {
        type.interfaces.filter { name in
            !type.interfaces.contains { definition($0)?.interfaces.contains(name) == true }
        }
    }

    func rule(of name: String) throws -> Rule? {
        guard let type = definition(name) else { return nil }
        if let rule = type.rule { return rule }
        return try agreed(try speakers(type).compactMap { try rule(of: $0) })
    }

    func fields(of name: String) -> Set<String> {
        guard let type = definition(name) else { return [] }
        return type.interfaces.reduce(into: Set(type.fields.map(\.name))) { $0.formUnion(fields(of: $1)) }
    }

    func type(of field: String, in name: String) -> String? {
        guard let type = definition(name) else { return nil }
        if let field = type.fields.first(where: { $0.name == field }) { return field.type }
        return type.interfaces.lazy.compactMap { self.type(of: field, in: $0) }.first
    }

    func rule(of field: String, in name: String) throws -> Rule? {
        guard let type = definition(name) else { return nil }
        if let rule = type.fields.first(where: { $0.name == field })?.rule { return rule }
        return try agreed(try speakers(type).compactMap { try rule(of: field, in: $0) })
    }

    private func agreed(_ rules: [Rule]) throws -> Rule? {
        for rule in rules where rule != rules.first { throw Conflict.interfaces }
        return rules.first
    }

    /// Whether all interfaces agree where several have a rule.
    var isConsistent: Bool {
        do {
            for type in types {
                _ = try rule(of: type.name)
                for field in fields(of: type.name) { _ = try rule(of: field, in: type.name) }
            }
            return true
        } catch {
            return false
        }
    }

    /// Returns the limit at the end of a path: of all rules that apply the most specific one is taken.
    ///
    /// - Parameters:
    ///   - root: The limit of the root and its specificity, 0 to 4; from 3 on the read itself set it.
    ///   - ages: The ages of the read, by `type` and `type.field`.
    func limit(_ path: [String], from type: String, root: (Int?, Int), ages: [String: Int]) throws -> (Int?, Int)? {
        guard let field = path.last else { return root }
        let before = Array(path.dropLast())
        guard let parent = try limit(before, from: type, root: root, ages: ages) else { return nil }
        var owner = type
        for step in before {
            guard let next = self.type(of: step, in: owner), !isScalar(next) else { return nil }
            owner = next
        }
        let rule = try self.rule(of: field, in: owner)
        // Each entry has a limit, the specificity of its rule, and the specificity that it has for fields below.
        var said: [(limit: Int?, rank: Int, origin: Int)] = []
        if let seconds = ages["\(owner).\(field)"] { said.append((seconds, 4, 4)) }
        let target = self.type(of: field, in: owner)
        if let target, !isScalar(target) {
            if let seconds = ages[target] { said.append((seconds, 3, 3)) }
            if let seconds = rule?.seconds { said.append((seconds, 2, 2)) }
            if rule?.inherits == true { said.append((parent.0, 2, parent.1)) }
            let general = try self.rule(of: target)
            if let seconds = general?.seconds { said.append((seconds, 1, 1)) }
            if general?.inherits == true { said.append((parent.0, 1, parent.1)) }
        } else {
            if let seconds = rule?.seconds { said.append((seconds, 2, 2)) }
            said.append((parent.0, parent.1 >= 3 ? 3 : 0, parent.1))
        }
        return said.max { $0.rank < $1.rank }.map { ($0.limit, $0.origin) } ?? (nil, 0)
    }
}
