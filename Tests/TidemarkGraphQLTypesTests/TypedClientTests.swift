import TestTraits
import Testing
import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkGraphQLTypes
import TidemarkTestKit
import TidemarkTesting

/// Generated operations with a client, over HTTP.
@Suite(.pooled) struct TypedClientTests {
    private struct Stop: Error {}

    private func client(_ server: AnswerServer? = nil) async throws -> GraphQLClient {
        let cache = try await SyncCache.open(configuration: CacheConfiguration(), journal: MemoryJournal())
        var options = GraphQLClient.Options()
        options.schema = try Sources.text("StarWars/schema.graphqls")
        return try await GraphQLClient(
            cache, endpoint: try server.map { try GraphQLEndpoint(url: $0.url, timeout: .seconds(300)) },
            options: options)
    }

    @Test func `a query of a server is data of its type, and the cache has it then`() async throws {
        let server = try AnswerServer([
            AnswerServer.json(#"{"data":{"hero":{"__typename":"Droid","id":"2001","name":"R2-D2"}}}"#)
        ])
        defer { server.stop() }
        let client = try await client(server)
        let query = HeroName(episode: .value(.jedi))
        let answer = try await client.fetch(query: query)
        #expect(answer.source == .server)
        #expect(answer.data == HeroName.Data(hero: .init(typename: "Droid", id: "2001", name: "R2-D2")))
        let again = try await client.fetch(query: query)
        #expect(again.source == .cache)
        #expect(again.data == answer.data)
        #expect(server.requests.count == 1)
        #expect(server.requests[0].contains(#""variables":{"episode":"JEDI"}"#))
    }

    @Test func `a deferred fragment goes through its states as the parts arrive`() async throws {
        let server = try AnswerServer([
            AnswerServer.parts(
                [
                    #"{"data":{"hero":{"__typename":"Droid","id":"2001","name":"R2-D2"}},"hasNext":true}"#,
                    #"{"incremental":[{"path":["hero"],"data":{"appearsIn":["JEDI"]}},"#
                        + #"{"path":["hero"],"label":"work","data":null,"#
                        + #""errors":[{"message":"no such droid","path":["hero","primaryFunction"]}]}],"hasNext":true}"#,
                    #"{"hasNext":false}"#,
                ], specification: "deferSpec=20220824")
        ])
        defer { server.stop() }
        let client = try await client(server)
        var results = client.watch(query: HeroInParts(), cachePolicy: .networkOnly).makeAsyncIterator()

        let first = try #require(try await results.next())
        let early = try #require(first.data?.hero)
        #expect(first.isPartial)
        #expect(early.name == "R2-D2")
        #expect(early.heroFilms == nil)
        #expect(early.$heroFilms == .pending)
        #expect(early.$work == .pending)
        #expect(early.$size == .notExecuted)

        server.release()
        let second = try #require(try await results.next()?.data?.hero)
        #expect(second.heroFilms?.appearsIn == [.jedi])
        #expect(second.$heroFilms == .fulfilled(HeroFilms(typename: "Droid", appearsIn: [.jedi])))
        #expect(second.$work == .pending)

        server.release()
        let last = try #require(try await results.next())
        let late = try #require(last.data?.hero)
        #expect(!last.isPartial)
        #expect(late.heroFilms?.appearsIn == [.jedi])
        #expect(late.work == nil)
        #expect(late.$work == .failed(["no such droid"]))
        #expect(late.$size == .notExecuted)
    }

    @Test func `a reader that waits gets the whole answer, and why a fragment failed`() async throws {
        let server = try AnswerServer([
            AnswerServer.parts(
                [
                    #"{"data":{"hero":{"__typename":"Droid","id":"1","name":"R2"}},"#
                        + #""pending":[{"id":"0","path":["hero"],"label":"work"}],"hasNext":true}"#,
                    #"{"incremental":[{"id":"0","data":{"primaryFunction":"Astromech"}}],"completed":[{"id":"0"}],"#
                        + #""hasNext":false}"#,
                ], specification: "incrementalSpec=v0.2")
        ])
        defer { server.stop() }
        server.release()
        let client = try await client(server)
        let hero = try #require(try await client.fetch(query: HeroInParts(), cachePolicy: .networkOnly).data?.hero)
        #expect(hero.work?.primaryFunction == "Astromech")
    }

    @Test func `a condition that is false makes a deferred fragment a part of the answer`() async throws {
        let server = try AnswerServer([
            AnswerServer.json(
                #"{"data":{"hero":{"__typename":"Human","id":"1000","name":"Luke","appearsIn":["JEDI"],"height":1.72}}}"#
            )
        ])
        defer { server.stop() }
        let client = try await client(server)
        let hero = try #require(try await client.fetch(query: HeroInParts(slow: false)).data?.hero)
        #expect(hero.heroFilms?.appearsIn == [.jedi])
        #expect(hero.size?.height == 1.72)
        #expect(hero.$work == .notExecuted)
        #expect(server.requests[0].contains(#""slow":false"#))
    }

    @Test func `a transaction updates an operation by its type, and watchers see the type`() async throws {
        let client = try await client()
        let variables = HeroName.Variables(episode: .value(.jedi))
        try await client.write(
            HeroName.Data(hero: .init(typename: "Droid", id: "2001", name: "R2-D2")), for: variables)
        var results = client.watch(query: variables, cachePolicy: .cacheOnly).makeAsyncIterator()
        #expect(try await results.next()?.data?.hero?.name == "R2-D2")
        try await client.withinReadWriteTransaction { transaction in
            try transaction.update(HeroName.self, variables) { $0.hero?.name = "Artoo" }
            #expect(try transaction.read(variables).hero?.name == "Artoo")
        }
        #expect(try await results.next()?.data?.hero == .init(typename: "Droid", id: "2001", name: "Artoo"))
        await #expect(throws: Stop.self) {
            try await client.withinReadWriteTransaction { transaction in
                try transaction.update(HeroName.self, variables) { $0.hero?.name = "lost" }
                throw Stop()
            }
        }
        #expect(try await client.read(variables).hero?.name == "Artoo")
    }

    @Test func `an update reaches fields, views and objects below`() async throws {
        let client = try await client()
        let query = HeroAndFriends()
        try await client.write(
            try HeroAndFriends.Data(data: Array(StarWarsTests.artoo.utf8)), for: query)
        try await client.withinReadWriteTransaction { transaction in
            try transaction.update(HeroAndFriends.self, query) { data in
                data.hero?.name = "Artoo"
                data.hero?.asDroid?.primaryFunction = "Copilot"
                data.hero?.friends?[0]?.name = "Luke Skywalker"
            }
        }
        let hero = try #require(try await client.read(query).hero)
        #expect(hero.asDroid?.name == "Artoo")
        #expect(hero.asDroid?.primaryFunction == "Copilot")
        #expect(hero.asDroid?.friends?.first??.name == "Luke Skywalker")
        await #expect(throws: Stop.self) {
            try await client.withinReadWriteTransaction { transaction in
                try transaction.update(query) { data in
                    data.hero = nil
                    throw Stop()
                }
            }
        }
        #expect(try await client.read(query).hero == hero)
    }

    @Test func `an update leaves deferred fragments pending that never came`() async throws {
        let client = try await client()
        try await client.write(
            HeroInParts.Data(hero: .init(typename: "Droid", id: "2001", name: "R2-D2")), for: HeroInParts())
        try await client.withinReadWriteTransaction { transaction in
            try transaction.update(HeroInParts.self, HeroInParts()) { $0.hero?.name = "Artoo" }
        }
        let hero = try #require(try await client.read(HeroInParts()).hero)
        #expect(hero.name == "Artoo")
        #expect(hero.$heroFilms == .pending)
        try await client.withinReadWriteTransaction { transaction in
            try transaction.update(HeroInParts.self, HeroInParts()) { data in
                data.hero?.heroFilms = HeroFilms(typename: "Droid", appearsIn: [.newHope])
            }
        }
        #expect(try await client.read(HeroInParts()).hero?.heroFilms?.appearsIn == [.newHope])
    }

    @Test func `a mutation is hoped for, performed and answered as its type`() async throws {
        let server = try AnswerServer([
            AnswerServer.json(
                #"{"data":{"createReview":{"__typename":"Review","id":"9","stars":5,"commentary":null}}}"#)
        ])
        defer { server.stop() }
        let client = try await client(server)
        let answer = try await client.perform(
            mutation: CreateReview(review: ReviewInput(stars: 5, commentary: .null)),
            optimistic: CreateReview.Data(createReview: .init(id: "9", stars: 5)))
        #expect(answer.data?.createReview == .init(id: "9", stars: 5))
        #expect(server.requests[0].contains(#""review":{"stars":5,"commentary":null}"#))
    }

    @Test func `payloads of a subscription are data of its type`() async throws {
        let server = try AnswerServer([
            AnswerServer.parts(
                [
                    #"{"payload":{"data":{"reviewAdded":{"__typename":"Review","id":"1","stars":4,"commentary":"x"}}}}"#,
                    #"{"payload":{"data":{"reviewAdded":null}}}"#,
                ], specification: "subscriptionSpec=1.0")
        ])
        defer { server.stop() }
        let client = try await client(server)
        var payloads = client.subscribe(ReviewAdded()).makeAsyncIterator()
        #expect(try await payloads.next()?.data?.reviewAdded?.stars == 4)
        server.release()
        let last = try #require(try await payloads.next()?.data)
        #expect(last.reviewAdded == nil)
    }
}
