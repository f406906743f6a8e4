import Testing

/// Whether `IngestCommand+Engine.swift` reaches the engine. What needs it is skipped, and said to be, until then.
enum EngineWiring {
    static let isDone = false

    static let trait = ConditionTrait.enabled(if: isDone, "the engine is not wired into the command yet")
}
