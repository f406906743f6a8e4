/// Files of scopes for tests.
package enum ScopeFiles {
    /// The example of the protocol, with a claim, a value from the address, `require`, joins and projections.
    package static let project = """
        {"scopes": {"project": {
          "library": "home",
          "params": {"me": {"claim": "sub"}, "project": {"query": "string"}},
          "require": [{"type": "membership", "on": {"/user": {"param": "me"}, "/project": {"param": "project"}}}],
          "types": {
            "project": {"where": {"path": "/id", "eq": {"param": "project"}}},
            "issue":   {"where": {"path": "/project", "eq": {"param": "project"}}, "without": ["internal_notes"]},
            "comment": {"joins": [{"type": "issue", "kind": "exists", "on": {"@key": "comment/issue"},
                                   "where": {"path": "/project", "eq": {"param": "project"}}}]},
            "user":    {"fields": ["id", "name", "avatar"],
                        "joins": [{"type": "membership", "kind": "exists",
                                   "on": {"/user": "user@key", "/project": {"param": "project"}}}]}}}}}
        """
}

extension ScopeFiles {
    /// Three scopes whose rules ``ScopeOracle`` knows by heart.
    package static let oracle = """
        {"scopes": {
          "project": {
            "params": {"me": {"claim": "sub"}, "project": {"query": "string"}},
            "require": [{"type": "membership", "on": {"/user": {"param": "me"}, "/project": {"param": "project"}}}],
            "types": {
              "project": {"where": {"path": "/id", "eq": {"param": "project"}}},
              "issue":   {"where": {"path": "/project", "eq": {"param": "project"}}, "without": ["internal_notes"]},
              "comment": {"joins": [{"type": "issue", "kind": "exists", "on": {"@key": "comment/issue"},
                                     "where": {"path": "/project", "eq": {"param": "project"}}}]},
              "user":    {"fields": ["id", "title"],
                          "joins": [{"type": "membership", "kind": "exists",
                                     "on": {"/user": "user@key", "/project": {"param": "project"}}}]}}},
          "mine": {
            "params": {"me": {"claim": "sub"}},
            "types": {
              "issue": {"where": {"path": "/owner", "eq": {"param": "me"}}, "fields": ["title", "project"],
                        "joins": [{"type": "block", "kind": "absent",
                                   "on": {"/issue": "issue@key", "/user": {"param": "me"}}}]},
              "user":  {"fields": []}}},
          "public": {
            "types": {
              "project": {"where": {"path": "/public", "eq": true}},
              "issue":   {"joins": [{"type": "project", "kind": "exists", "on": {"@key": "issue/project"},
                                     "where": {"path": "/public", "eq": true}}],
                          "fields": ["title"]}}}}}
        """

    /// The same without titles of issues in `project`, and without `mine`.
    package static let oracleChanged = """
        {"scopes": {
          "project": {
            "params": {"me": {"claim": "sub"}, "project": {"query": "string"}},
            "require": [{"type": "membership", "on": {"/user": {"param": "me"}, "/project": {"param": "project"}}}],
            "types": {
              "project": {"where": {"path": "/id", "eq": {"param": "project"}}},
              "issue":   {"where": {"path": "/project", "eq": {"param": "project"}},
                          "without": ["internal_notes", "title"]}}},
          "public": {
            "types": {
              "project": {"where": {"path": "/public", "eq": true}},
              "issue":   {"joins": [{"type": "project", "kind": "exists", "on": {"@key": "issue/project"},
                                     "where": {"path": "/public", "eq": true}}],
                          "fields": ["title"]}}}}}
        """
}
