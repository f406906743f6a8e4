import Tidemark
import TestTraits
import Testing
import TidemarkGraphQL
import TidemarkGraphQLTypes

@Suite(.pooled) struct StarWarsTests {
    static func graph() throws -> StoredGraph {
        try StoredGraph(schema: try Sources.text("StarWars/schema.graphqls"))
    }

    static let artoo = """
        {"hero":{"__typename":"Droid","id":"2001","name":"R2-D2","appearsIn":["NEW_HOPE","ROGUE_ONE"],
        "friends":[{"__typename":"Human","id":"1000","name":"Luke","appearsIn":["JEDI"]},null],
        "primaryFunction":"Astromech"}}
        """

    @Test func `an answer that was stored is read back as a type`() throws {
        var graph = try StarWarsTests.graph()
        let query = HeroName(episode: .value(.jedi))
        try graph.write(#"{"hero":{"__typename":"Droid","id":"2001","name":"R2-D2"}}"#, of: query)
        let data = try graph.data(query)
        #expect(data == HeroName.Data(hero: HeroName.Data.Hero(typename: "Droid", id: "2001", name: "R2-D2")))
        #expect(throws: (any Error).self) { try graph.data(HeroName(episode: .null)) }
    }

    @Test func `fragments, views and fields show one object`() throws {
        var graph = try StarWarsTests.graph()
        let query = HeroAndFriends()
        try graph.write(StarWarsTests.artoo, of: query)
        let hero = try #require(try graph.data(query).hero)
        #expect(hero.name == "R2-D2")
        #expect(hero.appearsIn == [.newHope, .unknown("ROGUE_ONE")])
        #expect(hero.asDroid?.primaryFunction == "Astromech")
        #expect(hero.asHuman == nil)
        #expect(hero.fragments.heroDetails.asDroid?.primaryFunction == "Astromech")
        #expect(
            hero.fragments.heroDetails.fragments.characterName
                == CharacterName(
                    typename: "Droid", id: "2001", name: "R2-D2"))
        #expect(
            hero.fragments.heroDetails.fragments.droidDetails
                == DroidDetails(
                    name: "R2-D2", primaryFunction: "Astromech"))
        #expect(hero.friends?.map { $0?.fragments.characterName.name } == ["Luke", nil])
        #expect(hero.friends?.first??.appearsIn == [.jedi])
    }

    @Test func `a variable leaves fields out`() throws {
        var graph = try StarWarsTests.graph()
        try graph.write(StarWarsTests.artoo, of: HeroAndFriends())
        let hero = try #require(try graph.data(HeroAndFriends(withFriends: false)).hero)
        #expect(hero.friends?.first??.name == "Luke")
        #expect(hero.friends?.first??.appearsIn == nil)
    }

    @Test func `a deferred fragment is pending until it is there`() throws {
        var graph = try StarWarsTests.graph()
        try graph.write(#"{"hero":{"__typename":"Human","id":"1000","name":"Luke"}}"#, of: HeroLater())
        let early = try #require(try graph.data(HeroLater(), completeness: .deferred).hero)
        #expect(early.name == "Luke")
        #expect(early.heroDetails == nil)
        #expect(early.$heroDetails == .pending)
        #expect(early.$work == .notExecuted)
        try graph.write(
            #"{"hero":{"__typename":"Human","id":"1000","name":"Luke","appearsIn":[],"friends":[],"height":1.72}}"#,
            of: HeroLater())
        let late = try #require(try graph.data(HeroLater(), completeness: .deferred).hero)
        #expect(late.heroDetails?.asHuman?.height == 1.72)
        #expect(late.fragments.heroDetails == late.heroDetails)
    }

    @Test func `a deferred fragment that failed has the messages of its errors`() throws {
        let failure = DeferredFailure(path: [.name("hero")], label: "work", messages: ["no such droid"])
        let data = try HeroLater.Data(
            data: Array(#" { "hero" : { "name" : "R2" , "__typename":"Droid", "id":"1" } } "#.utf8),
            failures: [failure])
        #expect(data.hero?.$work == .failed(["no such droid"]))
        #expect(data.hero?.$heroDetails == .pending)
    }

    @Test func `a union's views hold the fields of interfaces too`() throws {
        var graph = try StarWarsTests.graph()
        let query = Search(text: "x")
        try graph.write(
            """
            {"search":[{"__typename":"Starship","id":"3","name":"Falcon","length":34.37,"coordinates":[[1,2.5],[-3e2]]},
            {"__typename":"Droid","id":"1","name":"R2","friends":null,"primaryFunction":null}]}
            """, of: query)
        let found = try #require(try graph.data(query).search)
        #expect(found[0].asStarship?.coordinates == [[1, 2.5], [-300]])
        #expect(found[0].asCharacter == nil)
        #expect(found[1].asCharacter?.name == "R2")
        #expect(found[1].asDroid == .init(name: "R2", friends: nil, primaryFunction: nil))
    }

    @Test func `variables that are absent or null are two things`() throws {
        #expect(HeroName().variables.text == "{}")
        #expect(HeroName(episode: .null).variables.text == #"{"episode":null}"#)
        #expect(HeroName(episode: .value(.newHope)).variables.text == #"{"episode":"NEW_HOPE"}"#)
        let review = ReviewInput(stars: 5, favoriteColor: .value(ColorInput(red: 1, green: 2)))
        #expect(
            CreateReview(review: review).variables.text
                == #"{"review":{"stars":5,"favoriteColor":{"red":1,"green":2}}}"#)
        #expect(ReviewInput(stars: 5, commentary: .null).jsonValue.text == #"{"stars":5,"commentary":null}"#)
        #expect(Search(text: "x").variables.text == #"{"text":"x","first":10}"#)
    }

    @Test func `the ages of the schema and the operation are data of each selection`() {
        #expect(HeroName.Data.Hero.ages == ["id": 3600, "name": 3600])
        #expect(HeroLater.Data.ages == ["hero": 30])
        #expect(DroidDetails.ages["primaryFunction"] == 60)
        #expect(Search.Data.ages == [:])
    }

    @Test func `a field and its copies in views are always equal`() throws {
        var hero = try #require(try HeroAndFriends.Data(data: Array(StarWarsTests.artoo.utf8)).hero)
        hero.name = "A"
        #expect(hero.asDroid?.name == "A")
        hero.asDroid?.name = "B"
        #expect(hero.name == "B")
        hero.asHuman = nil
        #expect(hero.name == "B")
        let copy = try HeroAndFriends.Data.Hero(data: hero.jsonValue)
        #expect(copy == hero)
    }

    @Test func `coding gives the JSON of GraphQL`() throws {
        let data = try HeroAndFriends.Data(data: Array(StarWarsTests.artoo.utf8))
        #expect(data.jsonValue.text == StarWarsTests.artoo.replacing("\n", with: ""))
    }

    @Test func `the identity is the SHA-256 of the document`() {
        #expect(HeroName.documentID.utf8.count == 64)
        #expect(HeroName.documentID != HeroLater.documentID)
        #expect(HeroName.operationName == "HeroName")
    }
}
