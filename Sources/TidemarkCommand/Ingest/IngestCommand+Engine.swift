import Logging
import Tidemark
import TidemarkJetStream
import TidemarkLiveViews
import TidemarkModel
import TidemarkRecording
import TidemarkSQLite

extension IngestCommand {
    /// Applies the input to its end; the only function of this command that uses the engine.
    ///
    /// - Parameters:
    ///   - errors: Receives messages for the user during the run.
    ///   - show: Called after each block of input.
    func ingest(
        _ input: IngestSource, _ policy: CachePolicy, errors: Output, show: (IngestProgress) throws(Failure) -> Void
    ) async throws -> IngestSummary {
        let clock = ContinuousClock()
        let start = clock.now
        var configuration = try self.configuration(policy)
        let upstream = try upstream(configuration)
        let journal = try await database.openJournal()
        indexes.apply(to: &configuration, errors: errors)
        let cacheClock = SystemClock()
        let recorder = try await Recorder.begin(
            recording, command: "ingest", configuration, journal: journal, hasUpstream: upstream != nil,
            policy: try self.policy.text(), clock: cacheClock)
        let found = await journal.openingReport
        let cache = try await SyncCache.open(
            configuration: configuration, journal: journal, upstream: upstream, clock: cacheClock, recorder: recorder)
        try await ViewEngine.attach(to: cache)
        try await EngineStart.reportRebuilt(database.path, journal, found: found, recorder, to: errors)
        // The cache requests lost events as soon as it is open, so the summary starts from the counts at opening.
        let before = cache.countsAtOpening
        // Heal before the first line, so that an event found in both the input and the upstream is counted the same in
        // every run.
        await cache.heal()
        let stream: IngestStream
        do {
            stream = try await input.begin(cache)
        } catch let error as InputError {
            throw input.failure(error)
        }
        let acknowledging = acknowledge(stream.acknowledgements)
        var failure: (any Error)?
        do {
            while try await stream.next() {
                try show(await progress(of: stream, cache, input))
            }
            await input.end()
            try await stream.finish()
            try await cache.enforceLimits()
        } catch let error as InputError {
            failure = input.failure(error)
        } catch {
            failure = error
        }
        await input.end()
        var summary = IngestSummary()
        summary.counts = await cache.counts() - before
        // The lines of a unit that the input does not end: they are not acknowledged, and arrive again.
        summary.counts.held += Int64(await cache.heldEventCount)
        summary.entityCount = await cache.entityCount()
        summary.libraries = await cache.libraries().sorted { $0.library < $1.library }
        summary.isInterrupted = input.wasStopped
        do {
            try await cache.close()
        } catch {
            await recorder?.finish("the ingest failed: \(error)")
            throw error
        }
        await recorder?.finish(failure.map { "the ingest failed: \($0)" } ?? "the input ended")
        await acknowledging?.value
        if let failure { throw failure }
        summary.databaseByteCount = await journal.byteCount()
        summary.milliseconds = (clock.now - start).milliseconds
        precondition(summary.counts.isConserved(), "lines were not conserved: \(summary.counts)")
        return summary
    }

    private func configuration(_ policy: CachePolicy) throws(Failure) -> CacheConfiguration {
        var configuration = CacheConfiguration()
        configuration.policy = policy
        configuration.defaultLibrary = ByteString(options.defaultLibrary)
        if let profile = options.profile { configuration.apply(profile) }
        // Without acknowledgements, larger flushes do the same work with fewer writes. When waiting for further
        // messages of a stream, keep flushes small so that each message is visible soon.
        if !options.printsAcknowledgements, options.stream.from == nil || options.untilCaughtUp {
            configuration.flush = .bulk
        }
        if options.stream.from != nil {
            configuration.flush.byteCountMax = min(
                configuration.flush.byteCountMax, JetStreamFeed.unwrittenByteCountMax)
        }
        try limits.apply(to: &configuration)
        return configuration
    }

    /// Returns the upstream of `--upstream`, or else of the stream being read.
    private func upstream(_ configuration: CacheConfiguration) throws -> (any Upstream)? {
        if let upstream = options.upstream {
            return try upstream.open(
                defaultLibrary: ByteString(options.defaultLibrary), limits: configuration.limits)
        }
        return try options.stream.address.map { JetStreamUpstream($0, numbering: options.stream.numbering) }
    }

    /// Starts printing acknowledgements; nil if they are not requested.
    private func acknowledge(_ acknowledgements: AsyncStream<Acknowledgement>) -> Task<Void, Never>? {
        guard options.printsAcknowledgements else { return nil }
        return Task {
            // A separate output, because the summary is written only after this one has ended.
            let output = Output.standard()
            for await acknowledgement in acknowledgements {
                do throws(Failure) {
                    try output.writeLine(acknowledgement.line)
                    try output.flush()
                } catch {
                    // Standard output is closed; the stream is still applied to its end.
                    return
                }
            }
        }
    }

    private func progress(
        of stream: IngestStream, _ cache: SyncCache, _ input: IngestSource
    ) async -> IngestProgress {
        let (heldCount, durableLineCount) = await cache.progress(of: stream.input)
        return IngestProgress(
            lineCount: stream.lineCount, heldCount: heldCount, durableLineCount: durableLineCount,
            pendingCount: input.pendingCount)
    }
}
