// The pictures: drawn from a number, so that the example needs no files.

const skies = [
  ["#f9d8b4", "#f3a683", "#d9727a"], ["#bfe3f2", "#86bfe0", "#4f8fc0"], ["#fbe6c2", "#f6c28b", "#e8927c"],
  ["#1d2b53", "#3a4a7a", "#7a6a9a"], ["#d7ecd9", "#a9d3c4", "#6fae9f"], ["#e9e4f3", "#c3b4dd", "#8e7fb8"],
];
const lands = [["#3c6e71", "#284b63", "#16324f"], ["#5b7553", "#3e5641", "#24352a"], ["#a26769", "#6d2e46", "#3b1c32"], ["#2f4858", "#33658a", "#1b3a4b"]];

function generator(seed) {
  let state = seed * 2654435761 >>> 0;
  return () => {
    state = state + 0x6d2b79f5 >>> 0;
    let value = Math.imul(state ^ state >>> 15, state | 1);
    value ^= value + Math.imul(value ^ value >>> 7, value | 61);
    return ((value ^ value >>> 14) >>> 0) / 4294967296;
  };
}

function ridge(next, base, height) {
  const points = [`M0 ${base}`];
  for (let x = 0; x <= 400; x += 50) points.push(`${x === 0 ? "L" : "S"}${x === 0 ? "" : `${x - 25} ${base - height * next()} `}${x} ${base - height * (0.2 + next())}`);
  return `${points.join(" ")} L400 300 L0 300 Z`;
}

const cutOut = (album, next, land) => {
  if (album === "Coast") {
    return <>
      <rect y="170" width="400" height="130" fill={land[0]} />
      {Array.from({ length: 9 }, (_, index) => {
        const y = 178 + index * 13;
        const x = next() * 260;
        return <path key={index} d={`M${x} ${y} q20 -6 40 0 t40 0 t40 0`} fill="none" stroke="#fff" strokeOpacity={0.12 + 0.05 * index} strokeWidth={1 + index * 0.3} />;
      })}
      <path d={ridge(next, 280, 34)} fill={land[2]} />
    </>;
  }
  if (album === "City") {
    const towers = Array.from({ length: 14 }, (_, index) => ({ x: index * 30 - 8 + next() * 10, width: 18 + next() * 22, height: 50 + next() * 120 }));
    return <>
      <path d={ridge(next, 210, 40)} fill={land[0]} opacity="0.5" />
      {towers.map(({ x, width, height }, index) => <g key={index}>
        <rect x={x} y={270 - height} width={width} height={height + 30} fill={index % 2 ? land[1] : land[2]} />
        {Array.from({ length: Math.floor(height / 16) }, (_, row) => next() > 0.45
          ? <rect key={row} x={x + 4 + next() * (width - 11)} y={278 - height + row * 15} width="4" height="6" fill="#ffe3a3" opacity="0.85" /> : null)}
      </g>)}
    </>;
  }
  return [0, 1, 2].map((depth) => <path key={depth} d={ridge(next, 190 + depth * 40, 110 - depth * 30)} fill={land[depth]} opacity={0.75 + depth * 0.12} />);
};

/** One picture. */
export function Scene({ photo }) {
  const next = generator(photo.scene);
  const sky = skies[Math.floor(next() * skies.length)];
  const land = lands[Math.floor(next() * lands.length)];
  const isNight = sky[0] === "#1d2b53";
  const id = `sky-${photo.id}`;
  return <svg className="scene" viewBox="0 0 400 300" preserveAspectRatio="xMidYMid slice" role="img" aria-label={`${photo.title}, ${photo.album}`}>
    <defs><linearGradient id={id} x2="0" y2="1">{sky.map((color, index) => <stop key={color} offset={index / 2} stopColor={color} />)}</linearGradient></defs>
    <rect width="400" height="300" fill={`url(#${id})`} />
    {isNight ? Array.from({ length: 40 }, (_, index) => <circle key={index} cx={next() * 400} cy={next() * 150} r={0.5 + next()} fill="#fff" opacity="0.8" />) : null}
    <circle cx={60 + next() * 280} cy={60 + next() * 60} r={isNight ? 16 : 20 + next() * 14} fill={isNight ? "#f5f0dc" : "#fff4d6"} opacity="0.92" />
    {cutOut(photo.album, next, land)}
  </svg>;
}
