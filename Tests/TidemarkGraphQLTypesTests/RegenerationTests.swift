import TestTraits
import Testing
import TidemarkGraphQLGenerator

/// Generated files that are checked in are what the generator writes today.
@Suite(.pooled) struct RegenerationTests {
    struct Package: Sendable, CustomTestStringConvertible {
        var folder: String
        var options: GeneratorOptions

        var testDescription: String { folder }
    }

    static let packages: [Package] = {
        var photos = GeneratorOptions()
        photos.access = .package
        photos.namespace = "Photos"
        photos.scalars = ["DateTime": "Date", "Link": "URL"]
        photos.grouping = .documents
        var torture = GeneratorOptions()
        torture.access = .public
        torture.namespace = "Torture"
        return [
            Package(folder: "StarWars", options: GeneratorOptions()), Package(folder: "Photos", options: photos),
            Package(folder: "Torture", options: torture),
            Package(folder: "../../Benchmarks/Items", options: GeneratorOptions()),
        ]
    }()

    @Test(arguments: packages) func `generating again changes nothing`(_ package: Package) throws {
        let folder = package.folder
        let files = try CodeGenerator.files(
            schema: SourceText(
                path: "schema.graphqls", bytes: Array(try Sources.text("\(folder)/schema.graphqls").utf8)),
            operations: try Sources.names(in: "\(folder)/Documents").map {
                SourceText(path: "Documents/\($0)", bytes: Array(try Sources.text("\(folder)/Documents/\($0)").utf8))
            }, options: package.options)
        #expect(files.map(\.name).sorted() == (try Sources.names(in: "\(folder)/Generated")))
        for file in files {
            #expect(
                try Sources.text("\(folder)/Generated/\(file.name)") == file.text,
                "\(file.name) is out of date; run make generate-operations")
        }
    }
}
