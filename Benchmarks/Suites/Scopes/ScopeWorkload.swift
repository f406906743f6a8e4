import Foundation
import TidemarkModel

/// The files, tokens and events of the suite of scopes. Every task is in one room and in one team, so each event of a
/// task is in two scopes.
struct ScopeWorkload {
    /// The number of rooms, and that of teams.
    let groupCount: Int
    private let folder: ScratchFolder

    /// Writes the files of scopes and of keys.
    init(groupCount: Int, in folder: ScratchFolder) throws {
        self.groupCount = groupCount
        self.folder = folder
        try Data(ScopeWorkload.file.utf8).write(to: folder.url.appending(path: "scopes.json"))
        let keys = folder.url.appending(path: "keys.json")
        let key = ScopeWorkload.encoded(ScopeWorkload.key)
        try Data(#"{"keys":[{"kty":"oct","k":"\#(key)"}]}"#.utf8).write(to: keys)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keys.path)
    }

    /// The options of a server of scopes.
    var options: [String] {
        ["--scopes", folder.path("scopes.json"), "--jwt-keys", folder.path("keys.json"), "--head-timeout", "3600"]
    }

    /// `room` and `team` are shared by all who may name them; `desk` is somebody's own, by memberships.
    private static let file = """
        {"scopes": {
          "room": {"params": {"room": {"query": "string"}},
                   "types": {"task": {"where": {"path": "/room", "eq": {"param": "room"}}}}},
          "team": {"params": {"team": {"query": "string"}},
                   "types": {"task": {"where": {"path": "/team", "eq": {"param": "team"}}}}},
          "desk": {"params": {"me": {"claim": "sub"}},
                   "types": {"paper": {"joins": [{"type": "access", "kind": "exists",
                                                  "on": {"/user": {"param": "me"}, "/folder": "paper/folder"}}]}}}}}
        """

    // MARK: Tokens

    private static let key = Array("a secret of 32 bytes or more, for benchmarks".utf8)

    /// Returns a token for a day.
    static func token(_ subject: String) -> String {
        let head = encoded(Array(#"{"alg":"HS256"}"#.utf8))
        let expiry = Int(Date.now.timeIntervalSince1970) + 86_400
        let claims = encoded(Array(#"{"sub":"\#(subject)","exp":\#(expiry)}"#.utf8))
        let padded = key + [UInt8](repeating: 0, count: 64 - key.count)
        let inner = SHA256Digest(of: padded.map { $0 ^ 0x36 } + Array("\(head).\(claims)".utf8)).bytes
        return "\(head).\(claims).\(encoded(SHA256Digest(of: padded.map { $0 ^ 0x5C } + inner).bytes))"
    }

    private static func encoded(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    // MARK: Addresses

    /// Writes a file of clients, a path and a token each: as many for each scope, rooms first.
    ///
    /// - Returns: The path of the file.
    func addresses(clientCount: Int, scopeCount: Int) throws -> String {
        try write(
            (0..<clientCount).map { client in
                let scope = client % scopeCount
                let path =
                    scope < groupCount ? "/scopes/room?room=r\(scope)" : "/scopes/team?team=m\(scope - groupCount)"
                return "\(path) \(ScopeWorkload.token("u\(client)"))"
            })
    }

    /// Writes a file with the paths of other clients.
    func write(_ lines: [String]) throws -> String {
        let path = folder.path("addresses-\(UUID().uuidString)")
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: path))
        return path
    }

    // MARK: Events

    /// Appends the event of a task. Its last member is the time at which it is sent.
    func appendTask(_ index: Int, version: Int, sent: Int64 = 0, to bytes: inout [UInt8]) {
        appendTask(
            id: "t\(index)", room: "r\(index % groupCount)", team: "m\(index / groupCount % groupCount)",
            version: version, sent: sent, to: &bytes)
    }

    /// Appends events that every room and every team is told of: nothing else of the run comes behind them.
    func appendEnd(_ round: Int, to bytes: inout [UInt8]) {
        for group in 0..<groupCount {
            appendTask(
                id: "end-\(group)", room: "r\(group)", team: "m\(group)", version: ScopeWorkload.endVersion + round,
                sent: 0, to: &bytes)
        }
    }

    /// The version of the first end; tasks have lower ones.
    static let endVersion = 900_000_000

    /// Appends the event of a task that is in no scope that anybody asked for.
    func appendHidden(_ index: Int, version: Int, to bytes: inout [UInt8]) {
        appendTask(id: "h\(index)", room: "hidden", team: "hidden", version: version, sent: 0, to: &bytes)
    }

    private func appendTask(
        id: String, room: String, team: String, version: Int, sent: Int64, to bytes: inout [UInt8]
    ) {
        bytes += #"{"event":{"ResourceChanged":{"resource_type":"task","resource":{"id":""#.utf8
        bytes += id.utf8
        bytes += #"","room":"\#(room)","team":"\#(team)","text":"\#(ScopeWorkload.text)","version":"#.utf8
        bytes += "\(version),\"sent\":\(1_000_000_000_000_000_000 + sent)}}}}\n".utf8
    }

    private static let text = String(repeating: "tide table ", count: 9)

    /// Appends a paper in a folder.
    static func appendPaper(_ index: Int, folder: String, to bytes: inout [UInt8]) {
        bytes += #"{"event":{"ResourceChanged":{"resource_type":"paper","resource":{"id":"p\#(index)","#.utf8
        bytes += #""folder":"\#(folder)","title":"\#(text)"}}}}"#.utf8
        bytes.append(0x0A)
    }

    /// The event that gives somebody a folder, or takes it away.
    static func access(_ user: String, _ folder: String, isGiven: Bool) -> [UInt8] {
        let id = "\(user)-\(folder)"
        let event =
            isGiven
            ? #"{"ResourceChanged":{"resource_type":"access","resource":{"id":"\#(id)","user":"\#(user)","folder":"\#(folder)"}}}"#
            : #"{"ResourceDeleted":{"resource_type":"access","resource_id":"\#(id)"}}"#
        return Array((#"{"event":\#(event)}"# + "\n").utf8)
    }
}
