#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The executable that has the server.
enum ServeProgram {
    private static let name = "tidemark-serve"

    /// Becomes that executable, with the same arguments: it lies beside this one.
    ///
    /// - Returns: Why it could not; a process that became it does not return.
    static func start() -> Failure {
        let path = folder() + "/" + name
        let arguments = [name] + CommandLine.arguments.dropFirst()
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
        pointers.append(nil)
        execv(path, &pointers)
        let reason = SystemError.last
        for pointer in pointers { free(pointer) }
        return Failure(
            .unavailable, "no_server_program", "the server cannot be started", place: "\(path): \(reason.text)",
            outcome: "nothing was done", advice: "install \(name) beside tidemark")
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
