#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Properties of the terminal of a descriptor.
enum Terminal {
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Returns the number of columns of the terminal; 80 when the terminal does not report it.
    static func columnCount(_ descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Tells whether to use colours: only on a terminal, and not when the user turned them off.
    ///
    /// - Source: no-color.org: any value of `NO_COLOR` that is not empty turns colours off.
    static func hasColors(_ descriptor: Int32) -> Bool {
        isTerminal(descriptor) && variable("NO_COLOR").isEmpty && variable("TERM") != "dumb"
    }

    private static func variable(_ name: String) -> String {
        guard let value = getenv(name) else { return "" }
        return String(cString: value)
    }
}
