// Learns a graph from a table: node example/learn.mjs table.csv
import { load } from "nocurl";

const nocurl = await load();
const table = process.argv[2] ?? { name: "rain.csv", text: "rain,wet,slip\n1,2.1,1.9\n2,3.9,4.2\n3,6.2,5.8\n4,7.8,8.1\n5,10.1,9.7\n6,12.2,12.1\n" };
const { columns } = nocurl.inspect(table);
console.log(columns.map(({ name, kind }) => `${name}: ${kind}`).join(", "));
const { document, command } = nocurl.learn(table);
for (const { from, to, weight, direction } of document.edges) {
  console.log(`${from} ${direction === "undetermined" ? "--" : "->"} ${to}: ${weight?.toFixed(2)}`);
}
console.log(command);
