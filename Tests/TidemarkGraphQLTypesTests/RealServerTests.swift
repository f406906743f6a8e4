import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkGraphQLTypes
import TidemarkTestKit
import TidemarkTesting

/// Generated operations with a client and graphql-core, a real server that knows the same schema.
@Suite(
    .enabled(
        if: PythonEnvironment.interpreter(of: "python-defer") != nil
            && PythonEnvironment.interpreter(of: "python-incremental") != nil, "\(PythonEnvironment.advice)"),
    .pooled)
struct RealServerTests {
    private static let forms = [
        ("python-defer", "deferSpec=20220824"), ("python-incremental", "incrementalSpec=v0.2"),
    ]

    private func client(_ server: GraphQLCoreServer) async throws -> GraphQLClient {
        let cache = try await SyncCache.open(configuration: CacheConfiguration(), journal: MemoryJournal())
        var options = GraphQLClient.Options()
        options.schema = try Sources.text("StarWars/schema.graphqls")
        return try await GraphQLClient(
            cache, endpoint: try GraphQLEndpoint(url: server.url, timeout: .seconds(300)), options: options)
    }

    private func server(_ environment: String, _ spec: String) throws -> GraphQLCoreServer {
        try GraphQLCoreServer(
            environment: environment, spec: spec, schema: Sources.folder.appending(path: "StarWars/schema.graphqls"))
    }

    @Test(arguments: forms)
    func `every kind of operation is answered by a server of the same schema`(environment: String, spec: String)
        async throws
    {
        let server = try server(environment, spec)
        let client = try await client(server)

        let hero = try #require(try await client.fetch(query: HeroAndFriends(episode: .value(.empire))).data?.hero)
        #expect(hero.name == "Luke Skywalker" && hero.asHuman?.height == 1.72)
        #expect(hero.fragments.heroDetails.friends?.map { $0?.name } == ["Leia Organa", "R2-D2"])

        let parts = try #require(try await client.fetch(query: HeroInParts()).data?.hero)
        #expect(parts.heroFilms?.appearsIn == [.newHope, .empire, .jedi])
        #expect(parts.work?.primaryFunction == "Astromech")
        #expect(parts.$size == .notExecuted)

        let found = try #require(try await client.fetch(query: Search(text: "e")).data?.search)
        #expect(found.map(\.typename) == ["Human", "Human", "Starship"])
        #expect(found[2].asStarship?.coordinates == [[1, 2.5], []])

        let review = CreateReview(
            episode: .value(.jedi),
            review: ReviewInput(stars: 5, commentary: .null, favoriteColor: .value(ColorInput(red: 1, green: 2))))
        #expect(
            try await client.perform(mutation: review).data?.createReview?.commentary == "JEDI: no words, (1, 2, 0)")
        let silent = CreateReview(episode: .null, review: ReviewInput(stars: 1))
        #expect(try await client.perform(mutation: silent).data?.createReview?.commentary == "None: absent, None")

        // What was fetched under one document is there for another one.
        let droid = try await client.fetch(query: HeroName(), cachePolicy: .cacheOnly).data?.hero
        #expect(droid == .init(typename: "Droid", id: "2001", name: "R2-D2"))
        try server.stop()
    }
}
