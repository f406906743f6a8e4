#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Properties of the terminal behind a descriptor.
enum Terminal {
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Returns the terminal's number of columns, or 80 if it does not report one.
    static func columnCount(_ descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Returns true if colours should be used: on a terminal, unless the user turned them off.
    ///
    /// - Source: no-color.org: any non-empty value of `NO_COLOR` turns colours off.
    static func hasColors(_ descriptor: Int32) -> Bool {
        isTerminal(descriptor) && variable("NO_COLOR").isEmpty && variable("TERM") != "dumb"
    }

    private static func variable(_ name: String) -> String {
        guard let value = getenv(name) else { return "" }
        return String(cString: value)
    }
}
