/// An entity of a ``ReferenceModel``.
package struct ReferenceEntity: Equatable, Sendable {
    /// The last write of one top-level field.
    package struct FieldWrite: Equatable, Sendable {
        /// The sequence of the event; nil if it had none.
        package var sequence: Int64?
        /// The generation of the log in which ``sequence`` counts.
        package var generation: Int
    }

    /// The resource.
    package var json: ReferenceJSON
    /// The sequence of the event that wrote the entity last; nil if it had none.
    package var sequence: Int64?
    /// The generation of the library's log in which ``sequence`` counts.
    package var generation: Int
    /// The last write that replaced the whole resource; nil if it is no longer known.
    package var replacement: FieldWrite?
    /// The last write of every top-level field, by name.
    package var fields: [[UInt8]: FieldWrite]

    /// Creates an entity after a write.
    ///
    /// - Parameters:
    ///   - merged: The names that a merge set; nil if the whole resource was written.
    ///   - before: The entity before the write; nil if there was none.
    package init(
        json: ReferenceJSON, sequence: Int64?, generation: Int, merged: Set<[UInt8]>?, before: ReferenceEntity?
    ) {
        self.json = json
        self.sequence = sequence
        self.generation = generation
        let write = FieldWrite(sequence: sequence, generation: generation)
        var fields: [[UInt8]: FieldWrite] = [:]
        for member in json.members ?? [] {
            let name = member.key.unescaped
            let isWritten = merged?.contains(name) ?? true
            fields[name] = isWritten ? write : before?.fields[name] ?? before?.replacement ?? write
        }
        self.fields = fields
        // After a merge that set every field, only that merge is remembered.
        let isOnly = fields.values.allSatisfy { $0 == write }
        replacement = merged == nil ? write : isOnly ? nil : before?.replacement
    }
}
