import TidemarkGraphQLLanguage

/// A small server that the tests ask: every kind of type, and keys of several kinds.
enum MusicSchema {
    static let text = """
        schema { query: Query mutation: Mutation subscription: Subscription }
        interface Node { id: ID! }
        interface Named implements Node { id: ID! name(upper: Boolean = false): String! }
        type Artist implements Named & Node {
          id: ID! name(upper: Boolean = false): String! genre: Genre songs(first: Int = 10, after: String): [Song!]!
          manager: Person friends: [Artist] born: Int
        }
        type Song implements Node { id: ID! title: String! seconds: Int rating: Float artist: Artist! tags: [[String]] }
        type Book @typePolicy(keyFields: "isbn") { isbn: String! title: String id: Int author: Person! }
        type Person @typePolicy(keyFields: "first last") { first: String! last: String! id: Int name: String likes: Thing }
        type Place { name: String! position: [Float!] }
        union Thing = Song | Book | Place
        enum Genre { ROCK JAZZ }
        scalar Date
        input SongInput { title: String! seconds: Int = 0 genre: Genre artist: ArtistInput tags: [String!] = ["new"] }
        input ArtistInput { name: String! born: Date }
        type Query {
          hero: Artist artist(id: ID!): Artist node(id: ID!): Node search(text: String!, limit: Int! = 3): [Thing!]!
          named(ids: [ID!]!): [Named] book(isbn: String!): Book songs(filter: SongInput, genres: [Genre!]): [Song]
          at(date: Date): String place: Place count: Int! thing: Thing
        }
        extend type Query @fieldPolicy(forField: "book", keyArgs: "isbn")
        type Mutation { addSong(song: SongInput!): Song rename(id: ID!, name: String): Named }
        type Subscription { songAdded(genre: Genre): Song played: Song }
        directive @upper(by: Int! = 1, to: String) on FIELD | VARIABLE_DEFINITION | QUERY
        directive @tag(name: String!) repeatable on FIELD | FRAGMENT_DEFINITION | INLINE_FRAGMENT | FRAGMENT_SPREAD
        """

    /// The schema with the directives that documents may use without a declaration; for an implementation that does not
    /// know them.
    static let declared =
        text + """

            directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
            directive @cacheControl(maxAge: Int, inheritMaxAge: Boolean) on QUERY | MUTATION | SUBSCRIPTION | FIELD
            directive @connection(key: String!, filter: [String!]) on FIELD
            directive @typePolicy(keyFields: String) on OBJECT | INTERFACE
            directive @fieldPolicy(forField: String!, keyArgs: String) repeatable on OBJECT
            """

    static let schema: GraphQLSchema = {
        do throws(GraphQLErrors) {
            return try GraphQLSchema.read(Array(text.utf8))
        } catch {
            preconditionFailure("\(error)")
        }
    }()
}
