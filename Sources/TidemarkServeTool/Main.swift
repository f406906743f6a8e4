import TidemarkCommand

/// `tidemark-serve`: the command line with a server. `tidemark serve` starts it.
@main
enum ServeMain {
    static func main() async {
        await EntryPoint.run(server: HTTPServing())
    }
}
