import GRDB
import Tidemark
import TidemarkModel
import TidemarkStore

/// Copies everything in a damaged file that passes its check into an empty file, in one transaction.
///
/// Bodies are copied byte for byte. If a library or type was lost, later ones get other numbers; the checksum at the
/// beginning of their bodies is then recomputed.
final class Salvage {
    /// The damaged file, which stays open as long as it is scanned.
    private let source: SalvageSource
    let scan: SalvageScan
    let target: OpaquePointer
    let isValid: @Sendable ([UInt8]) -> Bool
    let now: Int64
    var names: SalvagedNames
    let decoder: PayloadDecoder
    var dictionaries: [Int64: PayloadDictionary] = [:]
    let version: Int32
    let layout: EntityLayout
    /// How many entities of each library were left out, by new number.
    var lostCounts: [LibraryIndex: Int] = [:]
    /// The libraries, by new number, that lost an entity, a tombstone or an evicted key.
    var forgetting: Set<LibraryIndex> = []
    /// True if something was lost of a library that cannot be identified.
    var isForgettingEverywhere = false
    /// By library's new number, the highest position among its counters: the last answer's, and *forgotten through*.
    var places: [LibraryIndex: EventSequence] = [:]
    /// The keys of the entities that are kept, with new numbers.
    var kept: Set<StoredKey> = []
    private(set) var steps: [RepairStep] = []
    private var untoldCount = 0

    /// - Parameters:
    ///   - source: The damaged file.
    ///   - target: A file without contents, inside a transaction.
    ///   - isValid: Returns true if the bytes are one JSON object.
    init(
        _ source: SalvageSource, into target: OpaquePointer, now: Int64, isValid: @escaping @Sendable ([UInt8]) -> Bool
    ) throws {
        self.source = source
        scan = SalvageScan(source.connection.handle)
        self.target = target
        self.now = now
        self.isValid = isValid
        version = source.version
        layout = scan.layout(version)
        names = SalvagedNames(scan)
        decoder = try PayloadDecoder()
    }

    func copy() throws {
        reportNames()
        try copyDictionaries()
        switch layout {
        case .rows: try copyEntities()
        case .blocks: try copyBlocks()
        }
        try copyTombstones()
        try copyLayers()
        try copyQueries()
        try copyRecords()
        try copyIndexes()
        try copyAttached()
        try writeNames()
        try writeForgotten()
        report(
            "\(counted(kept.count, "entity that passes its check is", "entities that pass their check are")) in a new file, with every other record that does"
        )
        if untoldCount > 0 { steps.append(RepairStep("\(untoldCount) more of this kind")) }
    }

    func report(_ what: String, advice: String = "") {
        guard steps.count < RepairReport.stepCountMax else { return untoldCount += 1 }
        steps.append(RepairStep(what, advice: advice))
    }

    private func reportNames() {
        if !names.areLibrariesWhole {
            report("some records of libraries could not be read", advice: "feed the logs of the missing ones")
        }
        if !names.areTypesWhole {
            report("some records of types could not be read", advice: "feed the logs of all libraries from the start")
        }
        for number in names.lostLibraries {
            report(
                "library \(number), whose record fails its check, was removed with all its data: its name is not known",
                advice: "feed its log from the start")
        }
        for number in names.lostTypes {
            report(
                "type \(number), whose record fails its check, was removed with its entities: its name is not known",
                advice: "feed the logs of all libraries from the start, or refresh their queries")
        }
        for (library, what) in names.mended { report("library \"\(library)\": \(what)", advice: "refresh its queries") }
    }

    /// Returns all columns except the first one.
    func tail(_ columns: String) -> String {
        columns.split(separator: ",").dropFirst().joined(separator: ",")
    }
}
