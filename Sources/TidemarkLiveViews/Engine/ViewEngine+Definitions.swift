import Logging
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkViews

/// A definition that is being computed.
struct DefinitionInProgress {
    let library: ViewLibrary
    let name: ByteString
    let definition: ViewLibrary.Definition
    let former: ViewLibrary.Definition?
}

/// Views that are kept while nobody looks.
extension ViewEngine {
    /// The longest name of a defined view: 128 bytes.
    package static let nameByteCountMax = 128

    /// Begins to define a view, in place of another one of that name. Reads of the name wait from now on.
    ///
    /// - Returns: The number of the definition, which ``finish(definition:cache:)`` needs.
    /// - Throws: ``CacheError``; the former definition then stays.
    package func beginDefinition(
        _ name: ByteString, _ rule: ViewRule, in libraryName: ByteString, cache: isolated SyncCache
    ) throws(CacheError) -> Int {
        if let refusal = cache.closedRefusal { throw refusal }
        let library = library(libraryName, in: cache)
        var definition: ViewLibrary.Definition
        do throws(CacheError) {
            try library.follow(rule, in: cache)
            do throws(CacheError) {
                definition = try hold(rule, in: library)
            } catch {
                library.unfollow(rule, in: cache)
                throw error
            }
        } catch {
            forgetIfUnused(library)
            throw error
        }
        let former = library.definitions[name]
        // A flush that comes first removes the former result.
        definition.isResultStored = former?.isResultStored ?? false
        definition.isResultUnwritten = definition.isResultStored
        library.definitions[name] = definition
        definitionsInProgress[definition.number] = DefinitionInProgress(
            library: library, name: name, definition: definition, former: former)
        return definition.number
    }

    /// Returns once a definition is true for all stored entities, and durable.
    ///
    /// - Throws: ``CacheError``; the former definition is then in force again, unless only the disk failed.
    package func finish(definition number: Int, cache: isolated SyncCache) async throws(CacheError) {
        guard let progress = definitionsInProgress[number] else {
            preconditionFailure("definition \(number) was not begun, or has ended")
        }
        let (library, name, definition) = (progress.library, progress.name, progress.definition)
        defer {
            definitionsInProgress[number] = nil
            forgetIfUnused(library)
        }
        do throws(CacheError) {
            try await fill(definition.filling, of: library, in: cache)
        } catch {
            if library.definitions[name]?.number == definition.number {
                library.definitions[name] = progress.former
                library.definitions[name]?.isResultUnwritten = true
                release(definition, of: library, in: cache)
            }
            throw error
        }
        guard library.definitions[name]?.number == definition.number else {
            // The view was dropped, or a later definition has taken over.
            if let former = progress.former { release(former, of: library, in: cache) }
            return
        }
        showResult(of: name, in: library, cache: cache)
        if let former = progress.former {
            if former.rule != definition.rule {
                await replace(name, former.rule, by: definition, of: library, in: cache)
            }
            release(former, of: library, in: cache)
        }
        try await cache.write([ViewRecord(library: library.name, name: name).change(to: definition.rule)])
    }

    private func hold(_ rule: ViewRule, in library: ViewLibrary) throws(CacheError) -> ViewLibrary.Definition {
        guard rule.parameters.isEmpty else {
            let held = library.views.hold(rule)
            return ViewLibrary.Definition(number: nextDefinition(), rule: rule, ruleID: held, use: nil)
        }
        let binding: ViewBinding
        do throws(ViewRuleError) { binding = try ViewBinding(nil, for: rule) } catch { throw CacheError(error) }
        guard let use = library.views.hold(rule, binding) else {
            throw CacheError(
                .limitExceeded, "there are \(limits.useCountMax) uses of views: cancel some observers first")
        }
        return ViewLibrary.Definition(number: nextDefinition(), rule: rule, ruleID: nil, use: use)
    }

    private func nextDefinition() -> Int {
        lastDefinition += 1
        return lastDefinition
    }

    private func release(_ definition: ViewLibrary.Definition, of library: ViewLibrary, in cache: isolated SyncCache) {
        if let rule = definition.ruleID { library.views.release(rule) }
        if let window = definition.window { library.views.close(window) }
        if let use = definition.use { library.views.release(use) }
        library.unfollow(definition.rule, in: cache)
    }

    /// Shows the observers of a name another rule.
    private func replace(
        _ name: ByteString, _ former: ViewRule, by definition: ViewLibrary.Definition, of library: ViewLibrary,
        in cache: isolated SyncCache
    ) async {
        for observer in library.observers.values.sorted(by: { $0.subscription.rawValue < $1.subscription.rawValue })
        where observer.name == name {
            guard Set(former.parameters) == Set(definition.rule.parameters) else {
                end(observer, .redefined, of: library, in: cache)
                continue
            }
            await replace(observer, by: definition.rule, of: library, in: cache)
        }
    }

    private func replace(
        _ observer: ViewObserver, by rule: ViewRule, of library: ViewLibrary, in cache: isolated SyncCache
    ) async {
        var request = ViewRequest(library: library.name, view: .rule(rule))
        request.params = observer.params
        do throws(CacheError) {
            let view = try begin(request, in: cache)
            do throws(CacheError) {
                try await complete(view, in: cache)
            } catch {
                close(view, in: cache)
                throw error
            }
            guard observers[observer.subscription] === observer else { return close(view, in: cache) }
            openCount -= 1
            lagging.removeAll { $0 === observer }
            catchUp(observer, of: library, isForced: true, in: cache)
            let former = (rule: observer.rule, use: observer.use)
            let update = library.views.change(
                observer.window, to: view.use, offset: observer.offset, limit: observer.limit,
                CacheEntities(library, in: cache))
            observer.rule = rule
            observer.types = library.ownTypes(of: rule)
            observer.use = view.use
            library.views.release(former.use)
            library.unfollow(former.rule, in: cache)
            let gainsTotal = rule.hasTotal && !former.rule.hasTotal
            tell(observer, update, of: library, isForced: true, isTotalNew: gainsTotal, in: cache)
        } catch {
            // The parameters of the observer do not fit the new rule.
            end(observer, .redefined, of: library, in: cache)
        }
    }

    /// Drops a view; its observers end.
    ///
    /// - Returns: The changes to write, which make it durable.
    /// - Throws: ``CacheError`` `notFound`.
    package func drop(
        _ name: ByteString, in libraryName: ByteString, cache: isolated SyncCache
    ) throws(CacheError) -> [RecordChange] {
        guard let library = libraries[libraryName], let definition = library.definitions.removeValue(forKey: name)
        else { throw CacheError(.notFound, "no view is named \(name): view.list has the names") }
        for observer in library.observers.values.sorted(by: { $0.subscription.rawValue < $1.subscription.rawValue })
        where observer.name == name {
            end(observer, .dropped, of: library, in: cache)
        }
        release(definition, of: library, in: cache)
        forgetIfUnused(library)
        let record = ViewRecord(library: libraryName, name: name)
        return [record.change(to: nil), record.change(toResult: nil)]
    }

    // MARK: Records

    /// Restores the definitions of an earlier process. Called once, before any other use of the engine.
    ///
    /// A record that cannot be read is left out; its view has to be defined again.
    ///
    /// - Throws: ``CacheError`` `storageFailed`.
    package func restore(in cache: isolated SyncCache) async throws(CacheError) {
        var results = try await cache.records(of: StoredResult.kind)
        for (key, body) in try await cache.records(of: ViewRecord.kind).sorted(by: { $0.key < $1.key }) {
            guard let record = ViewRecord(key: key) else { continue }
            do throws(ViewRuleError) {
                let rule = try ViewRule(json: body)
                let library = library(record.library, in: cache)
                // A definition of this process is the newer one.
                guard library.definitions[record.name] == nil else { continue }
                restore(record.name, rule, in: library, cache: cache)
                refreshCovered(library, in: cache)
                guard library.definitions[record.name]?.use != nil else { continue }
                guard let body = results.removeValue(forKey: key) else { continue }
                restore(body, of: record.name, in: library, cache: cache)
            } catch {
                cache.configuration.logger.error(
                    "view \(record.name) was dropped, because its rule cannot be read: \(error.message)")
            }
        }
        unclaimedResults = results.keys.sorted().compactMap { ViewRecord(key: $0)?.change(toResult: nil) }
    }

    private func restore(
        _ name: ByteString, _ rule: ViewRule, in library: ViewLibrary, cache: isolated SyncCache
    ) {
        do throws(CacheError) {
            try library.follow(rule, in: cache)
            do throws(CacheError) {
                library.definitions[name] = try hold(rule, in: library)
            } catch {
                library.unfollow(rule, in: cache)
                throw error
            }
        } catch {
            cache.configuration.logger.error("view \(name) was not restored: \(error)")
        }
    }

    /// Computes the restored views, one after another, while nobody waits for them.
    package func warm(in cache: isolated SyncCache) async {
        for library in libraries.values.sorted(by: { $0.name < $1.name }) {
            do throws(CacheError) {
                for (name, definition) in library.definitions.sorted(by: { $0.key < $1.key }) {
                    try await fill(definition.filling, of: library, in: cache)
                    showResult(of: name, in: library, cache: cache)
                }
            } catch {
                cache.configuration.logger.error("views of library \(library.name) are not computed yet: \(error)")
            }
        }
    }

    // MARK: Listing

    /// Returns the defined views of a library, by name.
    package func list(in library: ByteString) -> [ViewListing] {
        guard let library = libraries[library] else { return [] }
        return library.definitions.sorted { $0.key < $1.key }.map { name, definition in
            let step = library.step(of: definition.filling)
            let own = definition.use.map { library.views.byteCount(of: $0) } ?? 0
            return ViewListing(
                name: name, rule: definition.rule,
                observerCount: library.observers.values.count { $0.name == name },
                rowCount: definition.use.map { definition.stored?.total ?? library.views.rowCount(of: $0) },
                byteCount: own + library.views.relationByteCount(of: definition.rule),
                isBuilding: library.isRebuilding || step != .complete)
        }
    }
}
