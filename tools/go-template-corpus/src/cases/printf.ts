import { sprig, text } from '../table.ts';

const verbs = [...'vTtbcdoOqxXUeEfFgGspw'];
const flags = ['', '+', '-', '#', ' ', '0', '8', '-8', '08', '+08', '.2', '8.3', '.0', '+.1', '# '];
const args = [
  '7',
  '-42',
  '0',
  '2.5',
  '-0.000012345',
  '1e21',
  '100000.0',
  '"text"',
  '"é\\n\\"\\x00"',
  '""',
  'true',
  'nil',
  '.l',
  '.m',
  '.mixed',
  '.null',
  '.el',
  '1i',
];

/** Addresses differ from run to run. */
const printsAddress = (verb: string, arg: string): boolean => verb === 'p' && /^\.[lme]/.test(arg);

const plain = verbs.flatMap((verb) =>
  args.filter((arg) => !printsAddress(verb, arg)).map((arg) => `{{ printf "%${verb}" ${arg} }}`),
);
const flagged = [...'vdxqsfgeUcbo'].flatMap((verb) =>
  flags
    .slice(1)
    .flatMap((flag) => ['65', '-7', '3.14159', '"hé"', '.m'].map((arg) => `{{ printf "[%${flag}${verb}]" ${arg} }}`)),
);

const formats = [
  '{{ printf "" 1 }}',
  '{{ printf "%" }}',
  '{{ printf "%%" }}',
  '{{ printf "%d" }}',
  '{{ printf "%d %d" 1 }}',
  '{{ printf "%d" 1 2 "x" nil }}',
  '{{ printf "%[2]d %[1]d" 1 2 }}',
  '{{ printf "%[2]d" 1 2 }}',
  '{{ printf "%[3]d" 1 2 }}',
  '{{ printf "%[x]d" 1 2 }}',
  '{{ printf "%[1" 1 2 }}',
  '{{ printf "%*d|%-*d" 5 1 5 2 }}',
  '{{ printf "%.*f" 2 3.14159 }}',
  '{{ printf "%*d" "x" 1 }}',
  '{{ printf "%.*d" -1 1 }}',
  '{{ printf "%!" 1 }}',
  '{{ printf "%z" 1 }}',
  '{{ printf "%é" 1 }}',
  '{{ printf "%6.2f|%-8s|%+d|%x" 3.14159 "ab" 5 255 }}',
  '{{ printf "%5t|%-7t|" true false }}',
  '{{ printf "%s" 1 }} {{ printf "%d" "x" }} {{ printf "%t" 1 }}',
  '{{ printf "%q" `a"b` }} {{ printf "%#q" `a"b` }} {{ printf "%+q" "é" }}',
  '{{ printf "%x %X % x %#x" "hi" "hi" "hi" "hi" }}',
  '{{ printf "%08.3f|%+.2e|%g|%G" 3.14159 12345.678 1e-7 1e21 }}',
  '{{ printf "%c%c %U %#U" 65 233 233 233 }}',
  '{{ printf "%v %v %v" 1e6 1e20 1e21 }} {{ printf "%v" 123456789.0 }}',
  '{{ printf "%#v %#v %#v %#v %#v" 1 1.0 "s" .l .m }}',
  '{{ printf "%+v %T %T %T %T" .m .m .l 1 1.5 }}',
  '{{ printf "%s" .l }} {{ printf "%d" .nums }} {{ printf "%q" .l }} {{ printf "%5.1f" .nums }}',
  '{{ printf "%.0f %.0f %.0f %.0f" 0.5 1.5 2.5 3.5 }} {{ printf "%.2f" 1.005 }}',
  '{{ printf "%3d|%03d|%-3d|%+3d" 5 5 5 5 }}',
  '{{ printf "%t %v" .t .null }}',
  '{{ printf "%.3s|%.10s|%5.1s" "héllo" "ab" "xyz" }}',
];

const typed = [
  '(int64 5)',
  '(add 1 2)',
  '(list 1 2)',
  '(list)',
  '(dict "a" 1)',
  '(until 3)',
  '(splitList "," "a,b")',
  '(float64 3)',
].flatMap((arg) => [...'vTdsxqfgct'].map((verb) => `{{ printf "%${verb}" ${arg} }}`));

export const printfCases = [...text(...plain, ...flagged, ...formats), ...sprig(...typed)];
