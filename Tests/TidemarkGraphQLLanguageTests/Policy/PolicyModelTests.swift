import TestTraits
import Testing
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkTesting

@Suite(.pooled, .tags(.model)) struct PolicyModelTests {
    @Test func `the policies of random schemas equal those of a naive model`() throws {
        var consistentCount = 0
        for seed in UInt64(0)..<1_500 {
            let model = NaivePolicy(seed: seed)
            let text = model.text(seed: seed)
            switch read(text) {
            case .success(let policy):
                #expect(model.isConsistent, "seed \(seed): a conflict was accepted\n\(text)")
                guard try model.isConsistent && PolicyModelTests.compare(policy, model, seed) else { return }
                consistentCount += 1
            case .failure(let errors):
                let isConflict = errors.errors.allSatisfy { $0.code == .interfaceConflict }
                #expect(!model.isConsistent && isConflict, "seed \(seed): \(errors.errors)\n\(text)")
                guard !model.isConsistent else { return }
            }
        }
        #expect(300...1_400 ~= consistentCount, "\(consistentCount) of 1,500 schemas are consistent")
    }

    private func read(_ text: String) -> Result<CachePolicy, GraphQLErrors> {
        do throws(GraphQLErrors) {
            return .success(try CachePolicy.read(Array(text.utf8)))
        } catch {
            return .failure(error)
        }
    }

    /// Compares a policy with the model.
    ///
    /// - Returns: Whether both have the same rules.
    private static func compare(_ policy: CachePolicy, _ model: NaivePolicy, _ seed: UInt64) throws -> Bool {
        var isSame = Set(policy.types.map(\.name.description)) == Set(model.types.map(\.name))
        for type in policy.types {
            let name = type.name.description
            isSame = try isSame && type.age == age(model.rule(of: name))
            isSame = isSame && Set(type.fields.map(\.name.description)) == model.fields(of: name)
            for field in type.fields {
                let rule = try model.rule(of: field.name.description, in: name)
                let target = model.type(of: field.name.description, in: name) ?? "none"
                let isScalar = model.isScalar(target)
                isSame =
                    isSame && field.age == age(rule) && field.cascades == rule?.cascades ?? false
                    && field.target == (isScalar ? .scalar(ByteString(target)) : .composite(ByteString(target)))
            }
        }
        #expect(isSame, "seed \(seed): \(policy) differs from the model")
        var generator = SeededGenerator(seed: seed, index: 9)
        for _ in 0..<30 {
            guard isSame else { return false }
            isSame = try comparePath(policy, model, &generator, "seed \(seed)")
        }
        return isSame
    }

    private static func comparePath(
        _ policy: CachePolicy, _ model: NaivePolicy, _ generator: inout SeededGenerator, _ name: String
    ) throws -> Bool {
        let root = generator.pick(model.types).name
        var ages: [String: Int] = [:]
        for type in model.types {
            if generator.chance(150) { ages[type.name] = 10 + generator.below(5) }
            for field in ["a", "b", "c", "d", "e"] where generator.chance(100) {
                ages["\(type.name).\(field)"] = 20 + generator.below(5)
            }
        }
        var path: [String] = []
        var type = root
        while path.count < 5 {
            let fields = model.fields(of: type).sorted() + ["unknown"]
            path.append(generator.pick(fields))
            guard let last = path.last, let next = model.type(of: last, in: type) else { break }
            type = next
        }
        let operation = OperationAges(
            ages.sorted { $0.key < $1.key }.map { (name: ByteString($0.key), seconds: $0.value) })
        let start = policy.rootLimit(of: ByteString(root), operation: operation)
        let limit = policy.limit(
            of: path.map { ByteString($0) }, from: ByteString(root), reachedWith: start, operation: operation)
        let rootSeconds = try ages[root] ?? model.rule(of: root)?.seconds
        let rootRank = ages[root] != nil ? 3 : rootSeconds != nil ? 1 : 0
        let wanted = try model.limit(path, from: root, root: (rootSeconds, rootRank), ages: ages)
        let isSame =
            start == self.limit((rootSeconds, rootRank)) && limit == wanted.flatMap { self.limit($0) }
        #expect(
            isSame,
            "\(name): \(root).\(path) with \(ages) has \(String(describing: limit)), by its words \(String(describing: wanted))"
        )
        return isSame
    }

    private static func limit(_ said: (Int?, Int)) -> AgeLimit? {
        AgeLimit.Origin(rawValue: UInt8(said.1)).map { AgeLimit(seconds: said.0, origin: $0) }
    }

    private static func age(_ rule: NaivePolicy.Rule?) -> AgeRule? {
        if let seconds = rule?.seconds { return .seconds(seconds) }
        return rule?.inherits == true ? .inherited : nil
    }
}
