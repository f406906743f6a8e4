import TidemarkGraphQLTypes

// `HeroAndFriends` was generated from HeroAndFriends.graphql by the build.
let answer = #"{"hero":{"__typename":"Hero","id":"1","name":"R2-D2","friends":[]}}"#
var data = try HeroAndFriends.Data(data: Array(answer.utf8))
data.hero?.friends.append(.init(id: "2", name: "C-3PO"))
for friend in data.hero?.friends ?? [] {
    print("\(data.hero?.name ?? "nobody") and \(friend.name)")
}
