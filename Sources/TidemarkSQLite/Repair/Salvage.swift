import GRDB
import Tidemark
import TidemarkModel
import TidemarkStore

/// Copies everything of a damaged file that passes its check into an empty one, in one transaction.
///
/// Bodies stay byte for byte; where a library or type before theirs was lost, so that their own numbers change, the check at their
/// beginning is made anew over the same bytes.
final class Salvage {
    let scan: SalvageScan
    let target: OpaquePointer
    let isValid: ([UInt8]) -> Bool
    let now: Int64
    var names: SalvagedNames
    let decoder: PayloadDecoder
    var dictionaries: [Int64: PayloadDictionary] = [:]
    let version: Int32
    /// What was left out of each library, by new number.
    var lostCounts: [LibraryIndex: Int] = [:]
    /// Libraries, by new number, of which something of a key was left out: an entity, a tombstone, an evicted key.
    var forgetting: Set<LibraryIndex> = []
    /// Something of a key was left out, and nobody can say of which library.
    var isForgettingEverywhere = false
    /// Places in the logs that the counters told, by new number: how far answers are ahead, and *forgotten through*.
    var places: [LibraryIndex: EventSequence] = [:]
    /// New keys of what is kept.
    var kept: Set<StoredKey> = []
    private(set) var steps: [RepairStep] = []
    private var untoldCount = 0

    /// - Parameters:
    ///   - source: The damaged file.
    ///   - target: A file without contents, inside a transaction.
    ///   - isValid: Whether bytes are one JSON object.
    init(
        _ source: OpaquePointer, into target: OpaquePointer, now: Int64, isValid: @escaping ([UInt8]) -> Bool
    ) throws {
        scan = SalvageScan(source)
        self.target = target
        self.now = now
        self.isValid = isValid
        var version: Int32 = 0
        _ = scan.run("PRAGMA user_version", nil) { version = Int32(clamping: $0.integer(0)) }
        self.version = version
        names = SalvagedNames(scan)
        decoder = try PayloadDecoder()
    }

    func copy() throws {
        tellNames()
        try copyDictionaries()
        try copyEntities()
        try copyTombstones()
        try copyLayers()
        try copyQueries()
        try copyRecords()
        try copyIndexes()
        try writeNames()
        try writeForgotten()
        tell(
            "\(counted(kept.count, "entity that passes its check is", "entities that pass their check are")) in a new file, with all else that does"
        )
        if untoldCount > 0 { steps.append(RepairStep("\(untoldCount) more of the kind")) }
    }

    func tell(_ what: String, advice: String = "") {
        guard steps.count < RepairReport.stepCountMax else { return untoldCount += 1 }
        steps.append(RepairStep(what, advice: advice))
    }

    private func tellNames() {
        if !names.areLibrariesWhole {
            tell("records of libraries could not all be read", advice: "feed the logs of those that are missing")
        }
        if !names.areTypesWhole {
            tell("records of types could not all be read", advice: "feed the logs of all libraries from the start")
        }
        for number in names.lostLibraries {
            tell(
                "library \(number), whose record fails its check, was taken out with all it holds: its name is not known",
                advice: "feed its log from the start")
        }
        for number in names.lostTypes {
            tell(
                "type \(number), whose record fails its check, was taken out with its entities: its name is not known",
                advice: "feed the logs of all libraries from the start, or refresh their queries")
        }
        for (library, what) in names.mended { tell("library \"\(library)\": \(what)", advice: "refresh its queries") }
    }

    /// The columns behind the first one.
    func tail(_ columns: String) -> String {
        columns.split(separator: ",").dropFirst().joined(separator: ",")
    }
}
