import TidemarkModel

extension GraphQLSchema {
    /// Returns the fields that make the key of an object of this type.
    ///
    /// - Returns: Empty if the type lacks one of them, in which case its objects have no key. A field with arguments,
    ///   or with another type than a scalar or an enum, cannot be part of a key.
    package func keyFields(of id: SchemaTypeID) -> [SchemaField] {
        fields(identity.keyFields(of: self[id].name), of: id)
    }

    /// Returns the key fields of an interface, if all types that implement it have the same ones and the interface
    /// declares them.
    ///
    /// - Returns: nil if the key fields have to be selected by object type.
    package func sharedKeyFields(of id: SchemaTypeID) -> [SchemaField]? {
        guard self[id].kind == .interface, let first = self[id].possibleTypes.first else { return nil }
        let names = identity.keyFields(of: self[first].name)
        let areSame = self[id].possibleTypes.allSatisfy { identity.keyFields(of: self[$0].name) == names }
        guard areSame else { return nil }
        let fields = fields(names, of: id)
        return fields.isEmpty ? nil : fields
    }

    private func fields(_ names: [ByteString], of id: SchemaTypeID) -> [SchemaField] {
        var fields: [SchemaField] = []
        for name in names {
            guard let field = self[id].field(name), field.arguments.all.isEmpty, !field.type.isList,
                !self[field.type.named].isComposite
            else { return [] }
            fields.append(field)
        }
        return fields
    }
}
