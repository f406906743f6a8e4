extension CachePolicy {
    /// Returns the age limit of an object that a read asks for directly and not through a field.
    ///
    /// - Complexity: O(name).
    package func rootLimit(of type: ByteString, operation: OperationAges = OperationAges()) -> AgeLimit {
        if let seconds = operation.seconds(type: type) { return AgeLimit(seconds: seconds, origin: .operationType) }
        guard case .seconds(let seconds) = self.type(type)?.age else { return .unlimited }
        return AgeLimit(seconds: seconds, origin: .schemaType)
    }

    /// Returns the age limit of a field. For a composite field this is the limit of the object in it.
    ///
    /// The most specific rule wins: operation field, operation type, schema field, schema type. An operation's rule for
    /// a field or a type also applies to the scalars of the object in it, and overrides directives of the schema.
    ///
    /// - Parameters:
    ///   - field: The field.
    ///   - type: The type of the object that has the field.
    ///   - parent: The limit of that object.
    ///   - operation: The age limits of the read.
    ///   - found: The type of the object in the field, if known. Its rule precedes that of the field's declared type,
    ///     which may be an interface or a union.
    /// - Returns: The limit; a field that the policy does not know is treated as a scalar.
    /// - Complexity: O(names).
    package func limit(
        of field: ByteString, in type: ByteString, reachedWith parent: AgeLimit,
        operation: OperationAges = OperationAges(), found: ByteString? = nil
    ) -> AgeLimit {
        if let seconds = operation.seconds(field: field, of: type) {
            return AgeLimit(seconds: seconds, origin: .operationField)
        }
        let rule = self.field(field, of: type)
        guard case .composite(let target) = rule?.target else {
            guard !parent.origin.isOperation, let age = rule?.age else { return parent }
            return limit(age, .schemaField, parent)
        }
        let names = found.map { [$0, target] } ?? [target]
        for name in names {
            if let seconds = operation.seconds(type: name) { return AgeLimit(seconds: seconds, origin: .operationType) }
        }
        if let age = rule?.age { return limit(age, .schemaField, parent) }
        for name in names {
            if let age = self.type(name)?.age { return limit(age, .schemaType, parent) }
        }
        return .unlimited
    }

    /// Returns the age limit at the end of a path of fields, each of the type of the object in the field before it.
    ///
    /// - Parameters:
    ///   - path: The fields from `root` on, at least one.
    ///   - root: The type of the object at which the path begins.
    ///   - limit: The limit of that object; ``rootLimit(of:operation:)`` if nothing else is known.
    ///   - operation: The age limits of the read.
    /// - Returns: nil when a field before the last is a scalar or unknown, so that the path ends there.
    /// - Complexity: O(path).
    package func limit(
        of path: [ByteString], from root: ByteString, reachedWith limit: AgeLimit,
        operation: OperationAges = OperationAges()
    ) -> AgeLimit? {
        precondition(!path.isEmpty, "a path without fields has no last one")
        var type = root
        var limit = limit
        for (index, field) in path.enumerated() {
            limit = self.limit(of: field, in: type, reachedWith: limit, operation: operation)
            if index == path.count - 1 { break }
            guard case .composite(let target) = self.field(field, of: type)?.target else { return nil }
            type = target
        }
        return limit
    }

    private func limit(_ age: AgeRule, _ origin: AgeLimit.Origin, _ parent: AgeLimit) -> AgeLimit {
        switch age {
        case .seconds(let seconds): AgeLimit(seconds: seconds, origin: origin)
        case .inherited: parent
        }
    }
}
