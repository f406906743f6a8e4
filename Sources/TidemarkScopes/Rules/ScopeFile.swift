import TidemarkModel
import TidemarkViews

/// A checked file of scopes: every rule in it can be evaluated, every name is known, and no parameter from an address
/// can be used to guess what the scope hides.
///
/// ```json
/// {"scopes": {"project": {
///   "params": {"me": {"claim": "sub"}, "project": {"query": "string"}},
///   "require": [{"type": "membership", "on": {"/user": {"param": "me"}, "/project": {"param": "project"}}}],
///   "types": {"issue": {"where": {"path": "/project", "eq": {"param": "project"}}, "without": ["notes"]}}}}}
/// ```
///
/// - Source: Protocol/scopes.md, the file.
package struct ScopeFile: Hashable, Sendable {
    /// The scopes by name.
    package let scopes: [ByteString: ScopeDefinition]

    /// Creates a file of scopes that were checked.
    private init(_ scopes: [ByteString: ScopeDefinition]) {
        self.scopes = scopes
    }

    /// Returns the scopes of one library.
    ///
    /// - Parameter defaultLibrary: The library of scopes that name none.
    package func part(of library: ByteString, defaultLibrary: ByteString) -> ScopeFile {
        ScopeFile(scopes.filter { ($0.value.library ?? defaultLibrary) == library })
    }

    /// The types that the rules of the scopes read, as the rules name them.
    package var types: Set<ByteString> {
        Set(scopes.values.flatMap { $0.requirements + $0.types.map(\.rule) }.flatMap(\.types))
    }

    /// Parses and checks a file.
    ///
    /// - Parameters:
    ///   - json: The text of the file.
    ///   - types: The cache's own names of types, by their other names.
    /// - Throws: ``ScopeFileError`` for the first thing that is wrong.
    package init(
        json: [UInt8], types: [ByteString: ByteString] = [:], limits: ScopeLimits = ScopeLimits()
    ) throws(ScopeFileError) {
        guard json.count <= limits.fileByteCountMax else {
            throw ScopeFileError("", "has \(json.count) bytes; write at most \(limits.fileByteCountMax)")
        }
        let node: RuleNode
        do { node = try RuleNode(text: json, name: "the file") } catch { throw ScopeFileError(error) }
        scopes = try ScopeParser(types: types, limits: limits).file(node)
    }
}
