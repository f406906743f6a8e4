/// How much one life of a database holds.
struct SoakSize {
    /// How often the database is opened.
    var roundCount: Int
    /// Entities of each library that has a log.
    var entityCount: Int
    /// What each task does in one round.
    var stepCount: Int

    /// Some tenths of a second.
    static let small = SoakSize(roundCount: 2, entityCount: 80, stepCount: 40)
    /// Some seconds, under a sanitizer more.
    static let full = SoakSize(roundCount: 4, entityCount: 500, stepCount: 300)

    /// Libraries that have a log.
    static let libraryCount = 3
}
