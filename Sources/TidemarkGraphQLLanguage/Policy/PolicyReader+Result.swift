import TidemarkModel

extension PolicyReader {
    /// Passes the rules of interfaces to the types that implement them.
    ///
    /// - Returns: The policy, which is meaningless if there are errors.
    mutating func handDown() -> CachePolicy {
        var resolved = [Resolved](repeating: Resolved(), count: types.count)
        var fieldCount = 0
        for index in implementationOrder() {
            resolved[index] = resolve(index, resolved)
            fieldCount += resolved[index].fields.count
            guard fieldCount <= limits.memberCountMax else {
                errors.append(
                    .tooManyMembers,
                    "types have more than \(limits.memberCountMax) fields with those of their interfaces; leave out "
                        + "what is not needed", at: types[index].name.place)
                return CachePolicy()
            }
        }
        return CachePolicy(types: zip(types, resolved).map(policy))
    }

    private mutating func resolve(_ index: Int, _ resolved: [Resolved]) -> Resolved {
        let type = types[index]
        let name = PolicyReader.excerpt(type.name.text)
        let speakers = speakers(of: type)
        var result = Resolved()
        if let own = type.own {
            result.type = Rule(control: own, source: .own, owner: name)
        } else {
            result.type = handed(
                speakers.compactMap { resolved[$0].inherited(from: types[$0]) }, to: name, at: type.name.place)
        }
        for field in type.fields {
            result.append(field, rule(of: field, in: type, from: speakers, resolved))
        }
        for speaker in speakers {
            for field in resolved[speaker].fields.map(\.field) where result.indices[field.name.text] == nil {
                var field = field
                field.own = nil
                field.name.place = type.name.place
                result.append(field, rule(of: field, in: type, from: speakers, resolved))
            }
        }
        return result
    }

    private mutating func rule(
        of field: PolicyField, in type: PolicyType, from speakers: [Int], _ resolved: [Resolved]
    ) -> Rule? {
        let owner = "\(PolicyReader.excerpt(type.name.text)).\(PolicyReader.excerpt(field.name.text))"
        if let own = field.own { return Rule(control: own, source: .own, owner: owner) }
        let rules = speakers.compactMap { resolved[$0].inherited(field.name.text, from: types[$0]) }
        guard let rule = handed(rules, to: owner, at: field.name.place) else { return nil }
        if rule.control.cascades, let kind = kinds[field.typeName.text], kind != .composite(.object),
            type.fieldIndices[field.name.text] != nil
        {
            errors.append(
                .cascadeWithoutObject,
                "\(owner) gets cascadeDeletion from \(rule.owner) and holds \(kind.words); only a field that holds an "
                    + "object type, or a list of one, can cascade; give \(owner) a rule of its own",
                at: field.name.place)
        }
        return rule
    }

    private func policy(_ type: PolicyType, _ resolved: Resolved) -> TypePolicy {
        TypePolicy(
            name: type.name.text, kind: type.kind, age: resolved.type?.control.age,
            source: resolved.type?.source ?? .none,
            fields: resolved.fields.map { field, rule in
                let name = field.typeName.text
                let isScalar = kinds[name] == .scalar
                return FieldPolicy(
                    name: field.name.text, target: isScalar ? .scalar(name) : .composite(name), age: rule?.control.age,
                    cascades: rule?.control.cascades ?? false, source: rule?.source ?? .none)
            })
    }
}

extension PolicyReader.Resolved {
    fileprivate mutating func append(_ field: PolicyField, _ rule: PolicyReader.Rule?) {
        indices[field.name.text] = fields.count
        fields.append((field, rule))
    }

    /// Returns the rule of an interface in the form in which its implementers inherit it.
    fileprivate func inherited(from interface: PolicyType) -> PolicyReader.Rule? {
        type.map { PolicyReader.Resolved.inherited($0, from: interface) }
    }

    fileprivate func inherited(_ name: ByteString, from interface: PolicyType) -> PolicyReader.Rule? {
        indices[name].flatMap { fields[$0].rule }.map { PolicyReader.Resolved.inherited($0, from: interface) }
    }

    private static func inherited(_ rule: PolicyReader.Rule, from interface: PolicyType) -> PolicyReader.Rule {
        var rule = rule
        if rule.source == .own { rule.source = .interface(interface.name.text) }
        return rule
    }
}
