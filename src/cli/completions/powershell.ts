import { isSwitch, placeholder } from "../command/args.ts";
import type { Command, Flag, ListedCommand } from "../command/command.ts";
import { completionValues, type Values } from "./completion_values.ts";

/**
 * Creates a PowerShell script that completes commands, options, option values and arguments, with
 * descriptions. If the script returns nothing, PowerShell completes file names. Where a file name
 * is not expected, the script returns an empty string to prevent this.
 */
export function powershellCompletions(commands: readonly ListedCommand[]): string {
  return `Register-ArgumentCompleter -Native -CommandName rehearse -ScriptBlock {
  param($word, $ast, $cursor)
  $commands = @(
${commands.map(commandData).join("\n")}
    @{ Name = 'help'; Help = 'Show help for a command'; First = $null; Options = @()
      Offers = @{ Kind = 'words'; Words = ${list(commands.map(({ name }) => name))} } }
  )
  function Complete-Values($values, $before, $text) {
    if ($values.Kind -eq 'files') { return }
    if ($values.Kind -eq 'list' -and $text.Contains(',')) {
      $at = $text.LastIndexOf(',') + 1
      $before += $text.Substring(0, $at)
      $text = $text.Substring($at)
    }
    $found = @($values.Words | Where-Object { $_ -and $_.StartsWith($text, 'Ordinal') } |
      ForEach-Object { "$before$_" })
    if ($found.Count -gt 0) { return $found }
    if (-not $values.OrFiles) { '' }
  }
  function Complete-Described($items) {
    $found = @($items | Where-Object { $_.Name.StartsWith($word, 'Ordinal') } | ForEach-Object {
      [System.Management.Automation.CompletionResult]::new(
        $_.Name, $_.Name, 'ParameterValue', $_.Help)
    })
    if ($found.Count -gt 0) { $found } else { '' }
  }
  $words = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } |
    ForEach-Object { $_.Extent.Text })
  if ($words.Count -lt 2) { return Complete-Described $commands }
  $command = $commands | Where-Object { $_.Name -ceq $words[1] }
  if (-not $command) { return '' }
  $name = $words[-1]
  $before = ''
  $text = $word
  if ($word -match '^(--[^=]+)=(.*)$') {
    $name = $Matches[1]
    $before = "$name="
    $text = $Matches[2]
  }
  $option = $command.Options | Where-Object {
    $_.Offers -and ($_.Name -ceq $name -or $_.Short -ceq $name)
  }
  if ($option) { return Complete-Values $option.Offers $before $text }
  if ($word.StartsWith('-')) { return Complete-Described $command.Options }
  if ($command.First -and $words.Count -eq 2) { return Complete-Values $command.First '' $word }
  Complete-Values $command.Offers '' $word
}
`;
}

function commandData({ name, summary, takes, first, flags }: ListedCommand): string {
  return `    @{ Name = ${quoted(name)}; Help = ${quoted(summary)}; First = ${
    first === undefined ? "$null" : valuesData({ kind: "words", words: first })
  }
      Offers = ${valuesData(argumentValues(takes))}
      Options = @(
${flags.map(optionData).join("\n")}
      ) }`;
}

function argumentValues(takes: Command["takes"]): Values {
  if (takes === undefined) return { kind: "nothing" };
  return takes === "files" ? { kind: "files" } : { kind: "words", words: takes };
}

function optionData(flag: Flag): string {
  const { name, short, optional, bare, help } = flag;
  const hasValue = placeholder(flag) !== undefined && !isSwitch(flag) && !optional;
  const parts = [
    `Name = ${quoted(`--${name}`)}`,
    ...(short === undefined ? [] : [`Short = ${quoted(`-${short}`)}`]),
    `Help = ${quoted(help)}`,
    ...(hasValue ? [`Offers = ${valuesData(completionValues(flag), bare !== undefined)}`] : []),
  ];
  return `        @{ ${parts.join("; ")} }`;
}

/**
 * Returns a PowerShell hash table that describes the completions to offer: `values` and, if no
 * value matches and `orFiles` is true, file names.
 */
function valuesData(values: Values, orFiles = false): string {
  const words = "words" in values ? `; Words = ${list(values.words)}` : "";
  return `@{ Kind = ${quoted(values.kind)}${words}${orFiles ? "; OrFiles = $true" : ""} }`;
}

function list(words: readonly string[]): string {
  return `@(${words.map(quoted).join(", ")})`;
}

/** Quotes a string. PowerShell treats typographic single quotes as single quotes. */
function quoted(text: string): string {
  return `'${text.replace(/['‘’‚‛]/g, "$&$&")}'`;
}
