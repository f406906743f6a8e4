/// The size of one session.
struct SoakSize {
    /// The number of times that the database is opened.
    var roundCount: Int
    /// The number of entities of each library that has a log.
    var entityCount: Int
    /// The number of steps of each task in one round.
    var stepCount: Int

    /// A session of some tenths of a second.
    static let small = SoakSize(roundCount: 2, entityCount: 80, stepCount: 40)
    /// A session of some seconds; longer under a sanitizer.
    static let full = SoakSize(roundCount: 4, entityCount: 500, stepCount: 300)

    /// The number of libraries that have a log.
    static let libraryCount = 3
}
