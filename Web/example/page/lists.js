// The lists of the page: their names, and the rules by which events keep each up to date.

export const lists = [
  { name: "All", input: {} }, { name: "Favourites", input: { favourite: true } }, { name: "Coast", input: { album: "Coast" } },
  { name: "Hills", input: { album: "Hills" } }, { name: "City", input: { album: "City" } },
];

/** Returns the rule of a list: which photos are in it, and their order. */
export const ruleOf = ({ album, favourite }) => ({
  resource_type: "photo",
  where: { all: [...album ? [{ path: "/album", eq: album }] : [], ...favourite ? [{ path: "/favourite", eq: true }] : []] },
  order: [{ path: "/taken", direction: "desc" }],
});
