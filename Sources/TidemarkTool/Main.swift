import TidemarkCommand

/// `tidemark`: the command line.
@main
enum Main {
    static func main() async {
        await EntryPoint.run()
    }
}
