"""The data of the Star Wars schema as a root value for graphql-core; used by incremental_server.py."""

DIRECTIVES = """
directive @cacheControl(maxAge: Int, inheritMaxAge: Boolean) on OBJECT | INTERFACE | UNION | FIELD_DEFINITION
"""

LUKE = {"__typename": "Human", "id": "1000", "name": "Luke Skywalker", "height": 1.72, "homePlanet": "Tatooine"}
LEIA = {"__typename": "Human", "id": "1003", "name": "Leia Organa", "height": 1.5, "homePlanet": "Alderaan"}
R2D2 = {"__typename": "Droid", "id": "2001", "name": "R2-D2", "primaryFunction": "Astromech"}
FALCON = {
    "__typename": "Starship",
    "id": "3000",
    "name": "Millennium Falcon",
    "length": 34.37,
    "coordinates": [[1, 2.5], []],
}
for _character, _friends in ((LUKE, [LEIA, R2D2]), (LEIA, [LUKE, R2D2]), (R2D2, [LUKE, LEIA])):
    _character["friends"] = _friends
    _character["appearsIn"] = ["NEW_HOPE", "EMPIRE", "JEDI"]


def hero(_, episode=None):
    return LUKE if episode == "EMPIRE" else R2D2


def character(_, id):
    return next((one for one in (LUKE, LEIA, R2D2) if one["id"] == id), None)


def search(_, text, first=None):
    return [one for one in (LUKE, LEIA, R2D2, FALCON) if text in one["name"]][:first]


def create_review(_, review, episode=None):
    color = review.get("favoriteColor")
    words = review.get("commentary") or ("no words" if "commentary" in review else "absent")
    return {
        "id": "r1",
        "stars": review["stars"],
        "commentary": f"{episode}: {words}, {color and (color['red'], color['green'], color['blue'])}",
    }


ROOT = {"hero": hero, "character": character, "search": search, "createReview": create_review}
