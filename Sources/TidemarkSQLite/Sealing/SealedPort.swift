import CSQLiteShim

/// The functions by which the VFS of sealed files reaches the keys.
enum SealedPort {
    /// The result of registering the VFS with SQLite, once.
    static let registration: Int32 = {
        var port = tidemark_seal_port(
            owner: { path in
                guard let path, let owner = SealedFiles.owner(of: String(cString: path)) else { return nil }
                return retained(owner)
            },
            make_key: { owner, header in
                guard let owner: SealedOwner = object(owner), let header, let made = owner.makeKey() else { return nil }
                header.update(from: made.header, count: made.header.count)
                return retained(made.0)
            },
            read_key: { owner, header, count in
                guard let owner: SealedOwner = object(owner), let header,
                    let key = owner.key(header: Array(UnsafeBufferPointer(start: header, count: Int(count))))
                else { return nil }
                return retained(key)
            },
            write_prefix: { key, prefix in
                guard let key: SealedKey = object(key), let prefix else { return }
                prefix.update(from: key.logPrefix, count: key.logPrefix.count)
            },
            seal: { key, kind, chunk, bytes, count, sealed in
                guard let key: SealedKey = object(key) else { return 0 }
                let target = UnsafeMutableRawBufferPointer(
                    start: sealed, count: Int(count) + Int(TIDEMARK_SEAL_BYTE_COUNT))
                return key.seal(
                    UnsafeRawBufferPointer(start: bytes, count: Int(count)), kind: kind, chunk: chunk, into: target)
                    ? 1 : 0
            },
            open: { key, kind, chunk, sealed, count, bytes in
                guard let key: SealedKey = object(key) else { return 0 }
                let source = UnsafeRawBufferPointer(start: sealed, count: Int(count) + Int(TIDEMARK_SEAL_BYTE_COUNT))
                return key.open(
                    source, kind: kind, chunk: chunk,
                    into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)))
                    ? 1 : 0
            },
            release: { object in
                if let object { Unmanaged<AnyObject>.fromOpaque(object).release() }
            })
        return tidemark_sqlite_register_sealed_vfs(&port)
    }()

    private static func retained(_ object: AnyObject) -> UnsafeRawPointer {
        UnsafeRawPointer(Unmanaged.passRetained(object).toOpaque())
    }

    private static func object<Object: AnyObject>(_ pointer: UnsafeRawPointer?) -> Object? {
        pointer.map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
    }
}
