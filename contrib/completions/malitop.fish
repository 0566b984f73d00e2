# Completion for fish: malitop itself says what may follow (malitop complete --help).

function __malitop_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    set -l lines ($program complete -- $words[2..-1] "$word" 2>/dev/null)
    set -l value (string replace -r '^--[^=]*=' '' -- "$word")
    set -l kept (string sub -l (math (string length -- "$word") - (string length -- "$value")) -- "$word")

    printf '%s\n' $lines[2..-1]
    switch "$lines[1]"
        case users
            __fish_complete_users
        case command
            set -l rest $words[(math (contains -i -- -- $words) + 1)..-1] "$word"
            complete -C (string join -- ' ' $rest)
        case files
            printf "$kept%s\n" (__fish_complete_path "$value")
        case 'files *'
            for file in "$value"*
                test -d "$file"; and printf '%s\n' "$kept$file/"
                for ending in (string split ' ' -- $lines[1])[2..-1]
                    string match -q -- "*.$ending" "$file"; and printf '%s\n' "$kept$file"
                end
            end
    end
end

complete -c malitop -f -a '(__malitop_complete)'
