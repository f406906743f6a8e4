import Tidemark
import TidemarkModel
import TidemarkScopes

/// A file of scopes as the command line names it.
enum ScopeFileText {
    /// Returns the scopes of a file whose rules were checked.
    ///
    /// - Parameter profile: The server's naming of types, by which the file may name them too.
    /// - Throws: ``Failure`` with status 78 and the place of the mistake, or 66 without a file.
    static func read(_ path: String, _ profile: CacheConfiguration.Profile?) throws(Failure) -> ScopeFile {
        let bytes = try FileContents.bytes(of: path, byteCountMax: ScopeLimits().fileByteCountMax)
        do throws(ScopeFileError) {
            return try ScopeFile(json: bytes, types: aliases(profile))
        } catch {
            throw .badScopes(error, path: path)
        }
    }

    /// The cache's own names of types, by their other names.
    static func aliases(_ profile: CacheConfiguration.Profile?) -> [ByteString: ByteString] {
        var configuration = CacheConfiguration()
        if let profile { configuration.apply(profile) }
        return configuration.typeAliases
    }
}
