// The command line of the C# compiler, for a Roslyn that comes as a library. It takes the arguments of csc: source files,
// -r, -out, -target, -langversion, -nullable, -optimize and what else the compiler itself heeds; and -version alone.
//
// Mono's compiler builds it, and cannot read Roslyn's assemblies: so they are reached while it runs.
using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Text;
using System.Threading;

static class Csc
{
    static readonly Assembly Core = Assembly.Load(new AssemblyName("Microsoft.CodeAnalysis"));
    static readonly Assembly CSharp = Assembly.Load(new AssemblyName("Microsoft.CodeAnalysis.CSharp"));

    static int Main(string[] args)
    {
        try
        {
            return Compile(args);
        }
        catch (Exception error) when (error.GetBaseException() is IOException)
        {
            Console.Error.WriteLine("csc: " + error.GetBaseException().Message);
            return 1;
        }
    }

    static int Compile(string[] args)
    {
        var parser = TypeIn(CSharp, "CSharp.CSharpCommandLineParser");
        dynamic commandLine = parser.GetProperty("Default").GetValue(null);
        dynamic arguments = commandLine.Parse(args, Directory.GetCurrentDirectory(), null, null);
        if (arguments.DisplayVersion)
        {
            var version = CSharp.GetCustomAttribute<AssemblyInformationalVersionAttribute>();
            Console.WriteLine("Roslyn " + version.InformationalVersion.Split('+')[0]);
            return 0;
        }
        if (Report(arguments.Errors))
        {
            return 1;
        }

        string name = arguments.OutputFileName;
        if (name == null)
        {
            Console.Error.WriteLine("csc: expected -out:FILE");
            return 1;
        }
        var create = TypeIn(CSharp, "CSharp.CSharpCompilation").GetMethod("Create");
        dynamic compilation = create.Invoke(null, new object[]
        {
            Path.GetFileNameWithoutExtension(name), Trees(arguments), References(arguments), arguments.CompilationOptions,
        });
        using (var program = new MemoryStream())
        {
            dynamic result = compilation.Emit(program, options: arguments.EmitOptions);
            if (Report(result.Diagnostics) || !result.Success)
            {
                return 1;
            }
            File.WriteAllBytes(Path.Combine(arguments.OutputDirectory, name), program.ToArray());
        }
        return 0;
    }

    static Array Trees(dynamic arguments)
    {
        var parse = TypeIn(CSharp, "CSharp.CSharpSyntaxTree").GetMethod("ParseText", new[]
        {
            typeof(string), TypeIn(CSharp, "CSharp.CSharpParseOptions"), typeof(string), typeof(Encoding), typeof(CancellationToken),
        });
        var trees = new List<object>();
        foreach (dynamic file in arguments.SourceFiles)
        {
            string path = file.Path;
            object options = arguments.ParseOptions;
            trees.Add(parse.Invoke(null, new[] { File.ReadAllText(path), options, path, Encoding.UTF8, CancellationToken.None }));
        }
        return ArrayOf(TypeIn(Core, "SyntaxTree"), trees);
    }

    static Array References(dynamic arguments)
    {
        var type = TypeIn(Core, "MetadataReference");
        var read = type.GetMethod("CreateFromFile");
        var references = new List<object>();
        foreach (dynamic reference in arguments.MetadataReferences)
        {
            string path = reference.Reference;
            object properties = reference.Properties;
            references.Add(read.Invoke(null, new[] { path, properties, null }));
        }
        return ArrayOf(type, references);
    }

    // Prints errors and warnings; whether there are errors.
    static bool Report(dynamic diagnostics)
    {
        const int Warning = 2;
        const int Error = 3;
        var failed = false;
        foreach (dynamic diagnostic in diagnostics)
        {
            var severity = (int)diagnostic.Severity;
            if (severity >= Warning && !diagnostic.IsSuppressed)
            {
                Console.Error.WriteLine(diagnostic.ToString());
                failed |= severity == Error;
            }
        }
        return failed;
    }

    static Type TypeIn(Assembly assembly, string name)
    {
        return assembly.GetType("Microsoft.CodeAnalysis." + name, throwOnError: true);
    }

    static Array ArrayOf(Type type, List<object> items)
    {
        var array = Array.CreateInstance(type, items.Count);
        for (var i = 0; i < items.Count; i++)
        {
            array.SetValue(items[i], i);
        }
        return array;
    }
}
