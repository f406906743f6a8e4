import TidemarkCommand

/// The entry point of `tidemark`: the command line without the HTTP server.
@main
enum Main {
    static func main() async {
        await EntryPoint.run()
    }
}
