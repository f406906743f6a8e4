import TidemarkCommand

/// The entry point of `tidemark-serve`: the command line with the HTTP server. `tidemark serve` starts it.
@main
enum ServeMain {
    static func main() async {
        await EntryPoint.run(server: HTTPServing())
    }
}
