#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An executable next to this one, for work whose libraries this one does not link.
struct NeighbourProgram {
    /// The file name of the executable.
    let name: String

    static let server = NeighbourProgram(name: "tidemark-serve")
    static let generator = NeighbourProgram(name: "tidemark-graphql-generate")

    /// Replaces this process by that executable, which inherits its output, signals and exit status.
    ///
    /// - Returns: Why that failed; on success the call does not return.
    func start(_ arguments: some Sequence<String>) -> Failure {
        let path = NeighbourProgram.folder() + "/" + name
        var pointers: [UnsafeMutablePointer<CChar>?] = ([name] + arguments).map { strdup($0) }
        pointers.append(nil)
        execv(path, &pointers)
        let reason = SystemError.last
        for pointer in pointers { free(pointer) }
        return Failure(
            .unavailable, "not_installed", "a part of tidemark cannot be started", place: "\(path): \(reason.text)",
            outcome: "nothing was done",
            advice: "install \(name) beside tidemark; in a clone: swift build -c release --product \(name)")
    }

    /// The folder of this executable.
    private static func folder() -> String {
        #if os(Linux)
            let own = "/proc/self/exe"
        #else
            let own = CommandLine.arguments.first ?? "tidemark"
        #endif
        guard let resolved = realpath(own, nil) else { return "." }
        defer { free(resolved) }
        let path = String(cString: resolved)
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return String(path[..<slash])
    }
}
