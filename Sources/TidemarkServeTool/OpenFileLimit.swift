#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The number of files and connections that this process may have open.
enum OpenFileLimit {
    /// The files that are open beside connections: the database, its journals, the log and those of the system.
    private static let fileCount = 200

    /// Raises the limit until a number of connections fits, or up to what the system allows. It is never lowered.
    ///
    /// - Returns: The connections that fit afterwards.
    static func raise(forConnections count: Int) -> Int {
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return count }
        let wanted = rlim_t(count + fileCount)
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = min(wanted, limit.rlim_max)
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return limit.rlim_cur >= wanted ? count : max(0, Int(limit.rlim_cur) - fileCount)
    }
}
