#if canImport(FoundationEssentials)
    public import struct FoundationEssentials.UUID
#else
    public import struct Foundation.UUID
#endif

extension UUID: ResourceID {
    public var keyText: String { uuidString }
}
