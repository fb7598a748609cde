# eks-gpu-lab completion fish
function __eks_gpu_lab
    set -l typed (commandline -ct)
    set -l words (commandline -opc) $typed
    set -l option (string match -r '^--[a-z-]+=' -- $typed)
    for line in (eks-gpu-lab completion -- $words[2..-1] 2>/dev/null)
        if test $line = :files
            for path in (__fish_complete_path (string replace -- "$option" '' $typed))
                echo "$option$path"
            end
        else
            echo $line
        end
    end
end
complete -c eks-gpu-lab -f -a '(__eks_gpu_lab)'
