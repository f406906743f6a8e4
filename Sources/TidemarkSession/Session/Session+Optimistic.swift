import Tidemark
import TidemarkModel

extension Session {
    /// Changes the layers now, so that the next line sees the change; answers once the change is on disk.
    func change(_ request: LayerRequest, _ responder: Responder) async throws(CacheError) {
        let number = try waiting.add(responder, .disk)
        do throws(CacheError) {
            switch request {
            case .update(let update): try await cache.begin(update)
            case .commit(let commit): try await cache.begin(commit)
            case .rollBack(let pendingID, let library): try await cache.beginRollBack(pendingID, library: library)
            case .retry(let pendingID, let library): try await cache.beginRetry(pendingID, library: library)
            }
        } catch {
            waiting.finish(number) { _ in }
            throw error
        }
        let task = Task { [cache, outputQueue, waiting] in
            let outcome: Result<[UInt8], MessageError>
            do throws(CacheError) {
                try await cache.finish(request.pendingID, isUpdate: request.isUpdate)
                outcome = .success(request.answer)
            } catch {
                outcome = .failure(MessageError(error))
            }
            await cache.deliverAll(to: outputQueue)
            waiting.finish(number) { $0.answer(outcome) }
        }
        waiting.set(task, for: number)
    }
}
