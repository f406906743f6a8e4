// Live views: issues joined with projects, filtered by a parameter, ordered, and cut, with one view for each team.

import { Random } from "../test/support/random.mjs";

const PROJECTS_OF_A_TEAM = 10;
const STATES = ["open", "open", "open", "started", "done"];

/** Returns the lines that load issues and projects, and the lines that update issues. */
export function viewWorkload(issueCount, updateCount, teamCount, seed = 20260102) {
  const random = new Random(seed);
  const text = (count) => Array.from({ length: count }, () => "0123456789abcdef"[random.below(16)]).join("");
  const projectCount = teamCount * PROJECTS_OF_A_TEAM;
  let sequence = 0;
  const line = (resource_type, resource) => {
    sequence += 1;
    return JSON.stringify({ event: { ResourceChanged: { resource_type, resource } }, sequence });
  };
  const projects = Array.from({ length: projectCount }, (_, index) => ({ id: `p${index}`, name: `Project ${index}`, team: index % teamCount, status: "active" }));
  const issues = Array.from({ length: issueCount }, (_, index) => ({
    id: `i${index}`, title: `Issue ${index} ${text(30)}`, state: random.pick(STATES), project: `p${random.below(projectCount)}`, priority: random.below(5),
    created: 1_700_000_000 + random.below(10_000_000), modified: 1_700_000_000 + random.below(10_000_000), body: text(240), labels: [text(6), text(6)],
  }));
  const load = [...projects.map((project) => line("project", project)), ...issues.map((issue) => line("issue", issue))];
  const updates = Array.from({ length: updateCount }, (_, index) => {
    const issue = issues[Math.floor(issueCount ** random.next()) - 1] ?? issues[0];
    const share = random.next();
    if (share < 0.6) issue.title = `Issue ${index} ${text(30)}`;
    else if (share < 0.8) issue.state = random.pick(STATES);
    else if (share < 0.95) issue.priority = random.below(5);
    else issue.project = `p${random.below(projectCount)}`;
    issue.modified = 1_710_000_000 + index;
    return line("issue", issue);
  });
  return { load, updates };
}

/** Returns a rule for the issues of a team, ordered by a field. */
export function teamRule(field) {
  return {
    from: "issue", joins: [{ type: "project", on: { "@key": "issue/project" } }], where: { path: "project/team", eq: { param: "team" } },
    order: [{ path: `issue/${field}`, direction: "desc" }], limit: 50,
    select: { id: "issue/id", title: "issue/title", state: "issue/state", priority: "issue/priority", project: "project/name" },
  };
}
