import ArgumentParser
import TidemarkTesting

/// Options for a synthetic stream; each sets a property of ``/TidemarkTesting/SyntheticSettings``.
struct GenerateOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The seed.", valueName: "n"))
    var seed: UInt64 = 1
    @Option(help: ArgumentHelp("Different entities; each is seen once before the first update.", valueName: "n"))
    var ids = 1_000
    @Option(help: ArgumentHelp("Updates for each entity, on average.", valueName: "n"))
    var updates = 1
    @Option(name: .customLong("distribution"), help: "How the updated entities are chosen.")
    var popularity = SyntheticSettings.Popularity.uniform
    @Option(name: .customLong("payload-bytes"), help: ArgumentHelp("The size of a resource, roughly.", valueName: "n"))
    var payloadByteCount = 435
    @Option(help: ArgumentHelp("Different resource types.", valueName: "n"))
    var types = 1
    @Option(help: ArgumentHelp("Libraries.", valueName: "n"))
    var libraries = 1
    @Option(help: ArgumentHelp("The share of events that are batches.", valueName: "share"))
    var batchShare = Share.none
    @Option(help: ArgumentHelp("Members of a batch.", valueName: "n"))
    var batchSize = 100
    @Option(help: ArgumentHelp("The share of updates that are deletes.", valueName: "share"))
    var deleteShare = Share.none
    @Option(help: ArgumentHelp("The share of updates that merge some fields.", valueName: "share"))
    var mergeShare = Share.none
    @Option(help: ArgumentHelp("Give every event an epoch.", valueName: "name"))
    var epoch = ""
    @Option(help: ArgumentHelp("The share of events that are missing.", valueName: "share"))
    var gapRate = Share.none
    @Option(help: ArgumentHelp("The share of events that come late.", valueName: "share"))
    var disorderRate = Share.none
    @Option(help: ArgumentHelp("The number of events by which an event is late at most.", valueName: "n"))
    var disorderDistance = 16
    @Option(help: ArgumentHelp("The share of events that come twice.", valueName: "share"))
    var duplicateRate = Share.none
    @Option(help: ArgumentHelp("The share of events that come as a broken line.", valueName: "share"))
    var badLineRate = Share.none
    @Option(help: ArgumentHelp("The number of events between heartbeats; 0 for none.", valueName: "n"))
    var heartbeatEvery = 0

    var settings: SyntheticSettings {
        var settings = SyntheticSettings()
        settings.seed = seed
        settings.entityCount = ids
        settings.updatesPerEntity = updates
        settings.popularity = popularity
        settings.resourceByteCount = payloadByteCount
        settings.typeCount = types
        settings.libraryCount = libraries
        settings.batchShare = batchShare
        settings.batchMemberCount = batchSize
        settings.deleteShare = deleteShare
        settings.mergeShare = mergeShare
        settings.epoch = epoch
        settings.gapRate = gapRate
        settings.disorderRate = disorderRate
        settings.disorderDistance = disorderDistance
        settings.duplicateRate = duplicateRate
        settings.badLineRate = badLineRate
        settings.heartbeatInterval = heartbeatEvery
        return settings
    }
}
