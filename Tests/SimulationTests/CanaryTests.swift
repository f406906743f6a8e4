import Foundation
import TestTraits
import Testing

/// The planted defects of `Tests/Canaries` fit the sources, so that `make canaries` can plant them.
@Suite(.pooled) struct CanaryTests {
    private struct Canary: Decodable {
        var name: String
        var law: String
        var trap: Bool
        var what: String
        var file: String
        var find: [String]
        var plant: [String]
    }

    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: root.appendingPathComponent(path)), as: UTF8.self)
    }

    @Test func `every planted defect fits one place, has its own switch and is listed with its seed`()
        throws
    {
        let canaries = try JSONDecoder().decode(
            [Canary].self, from: Data(contentsOf: Self.root.appendingPathComponent("Tests/Canaries/canaries.json")))
        let list = try Self.text("docs/testing.md")
        #expect(canaries.count >= 25)
        #expect(canaries.count(where: \.trap) >= 15)
        #expect(Set(canaries.map(\.name)).count == canaries.count)
        for canary in canaries {
            let source = try Self.text(canary.file)
            let find = canary.find.joined(separator: "\n")
            #expect(source.components(separatedBy: find).count == 2, "\(canary.name) does not fit \(canary.file)")
            #expect(canary.plant.joined(separator: "\n").contains("Canary.isOn(\"\(canary.name)\")"))
            #expect(list.contains("| `\(canary.name)` | \(canary.law) |"), "\(canary.name) is not in docs/testing.md")
        }
    }

    private struct PlainCanary: Decodable {
        var name: String
        var area: String
        var what: String
        var file: String
        var find: [String]
        var plant: [String]
    }

    @Test(arguments: [("views", 25), ("scopes", 20)])
    func `every planted defect of views and scopes fits one place, has its own switch and is listed`(
        name: String, least: Int
    ) throws {
        let path = Self.root.appendingPathComponent("Tests/Canaries/\(name).json")
        let canaries = try JSONDecoder().decode([PlainCanary].self, from: Data(contentsOf: path))
        let list = try Self.text("docs/testing.md")
        #expect(canaries.count >= least)
        #expect(Set(canaries.map(\.name)).count == canaries.count)
        for canary in canaries {
            let find = canary.find.joined(separator: "\n")
            let count = try Self.text(canary.file).components(separatedBy: find).count
            #expect(count == 2, "\(canary.name) does not fit \(canary.file)")
            #expect(canary.plant.joined(separator: "\n").contains("Canary.isOn(\"\(canary.name)\")"))
            let row = "| `\(canary.name)` | \(canary.area) | \(canary.what) | "
            #expect(list.contains(row), "\(canary.name) is not in docs/testing.md")
        }
    }
}
