#if canImport(FoundationEssentials)
    public import struct FoundationEssentials.UUID
#else
    public import struct Foundation.UUID
#endif

extension UUID: ResourceID {
    /// The UUID in its hyphenated form.
    public var keyText: String { uuidString }
}
