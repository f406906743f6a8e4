import TidemarkModel
import TidemarkViews

extension ScopeSet {
    /// Decides what a reader of a scope is sent next. Call it when the scope moved, when there is room again, and when
    /// another reader's delivery ended.
    ///
    /// - Parameters:
    ///   - room: The bytes that may be written. The last line may exceed them.
    ///   - nonce: A random number that no other call is given, for an epoch.
    ///   - entities: Reads the present state.
    /// - Returns: Lines to write in their order; none if there is nothing to send, no room, or the scope is not ready.
    package mutating func decide(
        _ handle: ScopeHandle, for reader: inout ScopeReader, room: Int, nonce: UInt64, _ entities: any ViewEntities
    ) -> [ScopeLine] {
        guard var scope = scopes[handle], !reader.isEnded else { return [] }
        switch scope.phase {
        case .filling: return []
        case .replaced where scope.bye == nil: return []
        case .open, .forbidden, .replaced: break
        }
        guard scope.log != nil else { return [reader.end(scope.bye ?? .forbidden)] }
        // The log is out of the table while it changes, so that it is not copied.
        scopes[handle]?.log = nil
        guard var log = scope.log.take() else { return [] }
        defer { scopes[handle]?.log = log }
        let writing = ScopeWriting(
            library: scope.library, secret: secret,
            source: ShownEntities(scope: scope, views: views, entities: entities), nonce: nonce,
            firstType: scope.definition.types[0].type, isStale: isStale)
        return log.decide(&reader, room: room, writing)
    }

    /// Returns true if a reader can go on behind a number: otherwise it is sent a state, and a request for missing
    /// lines is answered with `epoch_over`.
    package func canResume(_ handle: ScopeHandle, _ resumption: ScopeReader.Resumption, for subject: ByteString) -> Bool
    {
        guard let scope = scopes[handle] else { return false }
        return scope.log?.position(of: resumption, for: subject, library: scope.library, secret) != nil
    }

    /// Returns what a scope sends of a resource, whether its entity is in the scope or not. Ask ``shows(_:_:)`` first.
    ///
    /// - Returns: nil if the scope has no such type.
    package func projected(_ resource: [UInt8], of type: ByteString, in handle: ScopeHandle) -> [UInt8]? {
        scopes[handle]?.projection(of: type)?.sent(resource)
    }

    /// Returns true if a scope shows an entity.
    package func shows(_ handle: ScopeHandle, _ key: ViewKey) -> Bool {
        guard let number = views.number(of: key) else { return false }
        return scopes[handle]?.log?.members[number] != nil
    }

    /// The units of a scope that a reader still has to be sent; 1 if it has to be sent a state.
    package func lag(of reader: ScopeReader, with handle: ScopeHandle) -> Int {
        scopes[handle]?.log?.lag(of: reader) ?? 0
    }

    /// True if a reader was sent everything.
    package func isCaughtUp(_ reader: ScopeReader, with handle: ScopeHandle) -> Bool {
        scopes[handle]?.log?.isCaughtUp(reader) ?? false
    }

    /// The line that shows a client that its stream is alive, to be sent every 15 seconds whatever happens; nil while
    /// something else is being sent.
    package func heartbeat(_ handle: ScopeHandle, for reader: ScopeReader) -> ScopeLine? {
        guard let scope = scopes[handle], !reader.isEnded else { return nil }
        return scope.log?.heartbeat(reader, isStale: isStale, library: scope.library)
    }

    /// Breaks off what a reader is being sent, because the log is about to be restored from what is stored. The reader
    /// goes on from the last line that it was sent.
    package mutating func interrupt(_ reader: inout ScopeReader, in handle: ScopeHandle) {
        scopes[handle]?.log?.breakOff(&reader)
        // Edits that await their authors are not stored: those of the restored log are counted from the beginning.
        reader.noteSerial = 0
    }

    /// Ends a reader's part in a scope. Call it before the reader is dropped, or given another scope.
    package mutating func detach(_ reader: inout ScopeReader, from handle: ScopeHandle) {
        scopes[handle]?.log?.detach(&reader)
    }
}
